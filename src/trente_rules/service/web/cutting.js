/**
 * Cutting, and placing the marker: the pack lies there from its side, and a card is moved over it,
 * by hand, by keys, or by a number.
 */

import { el, fill } from "./panels/dom.js";

/**
 * @import {Felt} from "./felt.js"
 * @import {State} from "./store.js"
 */

const CARDS_OF_A_PACK = 52;

/**
 * Put the place for cutting into the page; it shows while the table waits for it.
 * @param {HTMLElement} container
 * @param {Felt} felt
 */
export function mountCutting(container, felt) {
  const { texts, facts, store, connection } = felt;
  let open = "";

  /** @param {State} state */
  function render(state) {
    const waits = state.clock?.waits_for ?? "nothing";
    const wanted = waits === "cut" || waits === "marker" ? waits : "";
    const shows = wanted !== "" && state.me?.role === "player" && state.status === "open" && !state.dealing;
    const key = shows ? `${wanted} ${state.shown.shoe} ${texts.language}` : "";
    if (key === open) return;
    open = key;
    container.hidden = !shows;
    if (!shows) container.replaceChildren();
    else if (wanted === "cut") build("cut", facts.cut);
    else build("marker", facts.marker ? [facts.marker.low, facts.marker.high] : null);
  }

  /** @param {"cut" | "marker"} what @param {[number, number] | null} bounds */
  function build(what, bounds) {
    const cards = store.get().shown.left ?? facts.packs * CARDS_OF_A_PACK;
    const [low, high] = bounds ?? [1, cards - 1];
    const middle = Math.round((low + high) / 2);
    const range = el("input", {
      type: "range", min: low, max: high, step: 1, value: middle, class: `knife ${what}`,
      "aria-label": texts.say(`${what}.range`, { low, high }),
    });
    const number = el("input", { type: "number", inputmode: "numeric", min: low, max: high, value: middle, "aria-label": texts.say(`${what}.title`) });
    const pack = el("div", { class: "side-of-pack" }, el("div", { class: "edges" }), range);
    const show = () => pack.style.setProperty("--at", String((Number(range.value) - low) / Math.max(1, high - low)));
    range.addEventListener("input", () => {
      number.value = range.value;
      show();
    });
    number.addEventListener("input", () => {
      range.value = number.value;
      show();
    });
    show();
    const send = () => {
      const place = Math.min(high, Math.max(low, Math.round(Number(number.value))));
      const asked = what === "cut" ? connection.cut(place) : connection.marker(place);
      asked.catch((error) => felt.complain(error));
    };
    const form = el("form", { class: "cutting" },
      el("h2", {}, texts.say(`${what}.title`)),
      el("p", {}, texts.say(`${what}.range`, { low, high })),
      pack,
      el("div", { class: "cutting-do" }, number,
        el("button", { type: "submit", class: "main", data: { do: what } }, texts.say(`${what}.do`))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send();
    });
    fill(container, form);
    range.focus({ preventScroll: true });
  }

  return { render };
}
