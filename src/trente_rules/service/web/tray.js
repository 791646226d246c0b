/**
 * The chips in hand, the buttons that do something with stakes, and the one that deals.
 */

import { chipNode } from "./chips.js";
import { el, fill, svg } from "./panels/dom.js";

/**
 * @import {Felt} from "./felt.js"
 * @import {State} from "./store.js"
 */

const ICONS = {
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  clear: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v6M14 11v6",
  repeat: "M17 2l4 4-4 4M3 11V9a3 3 0 0 1 3-3h15M7 22l-4-4 4-4M21 13v2a3 3 0 0 1-3 3H3",
  double: "M8 4v16M4 8l4-4 4 4M16 4v16M12 8l4-4 4 4",
};

/** @param {keyof typeof ICONS} name */
function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/**
 * Put the chips and the buttons into the page.
 * @param {HTMLElement} container
 * @param {Felt} felt
 */
export function mountTray(container, felt) {
  const { store, texts, money, facts, bets } = felt;
  const worth = Number(facts.unit);
  const chips = [...facts.chips].sort((a, b) => a - b);
  const rack = el("div", { class: "rack", role: "group", "aria-label": texts.say("felt.chips") });
  const buttons = chips.map((units) => {
    const button = el("button", {
      type: "button", class: "chip-button", data: { chip: String(units) },
      onclick: () => store.set({ chip: units }, "hand"),
    }, chipNode(units, money, worth));
    rack.append(button);
    return button;
  });
  const deeds = /** @type {const} */ (["undo", "clear", "repeat", "double"]).map((name) => el("button", {
    type: "button", class: "deed", data: { do: name }, title: texts.say(`do.${name}`), onclick: () => bets[name](),
  }, icon(name), el("span", {}, texts.say(`do.${name}`))));
  const main = el("button", { type: "button", class: "main", data: { do: "ready" }, onclick: () => felt.go() });
  const bar = el("span", { class: "time", "aria-hidden": "true" });
  fill(container, rack, el("div", { class: "deeds" }, ...deeds), el("div", { class: "go" }, main, bar));

  // That there are more chips is seen at the edge of the rack.
  const fade = () => {
    const more = rack.scrollWidth - rack.clientWidth - rack.scrollLeft > 4;
    rack.style.setProperty("--fade", more ? "36px" : "0px");
  };
  rack.addEventListener("scroll", fade, { passive: true });
  new ResizeObserver(fade).observe(rack);
  let held = 0;

  /** @param {State} state */
  function render(state) {
    buttons.forEach((button, place) => {
      const units = chips[place] ?? 0;
      const inHand = units === state.chip;
      button.setAttribute("aria-pressed", String(inHand));
      if (inHand && held !== units) {
        held = units;
        const { offsetLeft: at, offsetWidth: wide } = button;
        if (at < rack.scrollLeft || at + wide > rack.scrollLeft + rack.clientWidth - 40) {
          rack.scrollTo({ left: at - rack.clientWidth / 2, behavior: felt.still() ? "auto" : "smooth" });
        }
      }
      button.setAttribute("aria-label", texts.say("felt.chip", { amount: money.format(units) }));
    });
    const free = state.shown.stakes.some((stake) => stake.state === "free");
    const can = { undo: bets.undoable(), clear: free, repeat: state.shown.repeat.length > 0, double: free };
    for (const button of deeds) {
      const name = /** @type {keyof typeof can} */ (button.dataset["do"]);
      button.disabled = !state.shown.betting || state.dealing || !can[name] || state.status !== "open";
    }
    const { label, enabled, part } = felt.next(state);
    if (main.textContent !== label) main.textContent = label;
    main.disabled = !enabled;
    main.classList.toggle("urgent", enabled);
    bar.style.setProperty("--part", String(part));
    bar.hidden = part >= 1;
  }

  return { render, rack };
}
