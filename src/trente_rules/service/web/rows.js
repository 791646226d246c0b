/**
 * The two rows as the croupier deals them, their totals, the talon and what is dealt from it.
 */

import { cardBack, cardName, cardNode } from "./cards.js";
import { el, fill } from "./panels/dom.js";

/**
 * @import {Felt} from "./felt.js"
 * @import {State} from "./store.js"
 * @import {Scene} from "./scene.js"
 */

/** @typedef {"first" | "second"} Which */

/**
 * @typedef {object} Row
 * @property {Which} which
 * @property {HTMLElement} box
 * @property {HTMLElement} name
 * @property {HTMLElement} cards
 * @property {HTMLElement} total
 */

const CARDS_OF_A_PACK = 52;
const TALLEST = 14; // edges of cards that a full talon shows

/**
 * Put the rows and the talon into the page.
 * @param {HTMLElement} container
 * @param {Felt} felt
 */
export function mountRows(container, felt) {
  const { texts, facts } = felt;
  const rows = [rowNode("first"), rowNode("second")];
  const phone = window.matchMedia("(max-width: 719px)"); // large figures are read better there
  const left = el("span", { class: "count" });
  const pack = el("div", { class: "pack" }, cardBack());
  const marker = el("span", { class: "marker", hidden: true });
  const talon = el("div", { class: "talon" }, pack, marker, left);
  const heap = el("div", { class: "heap" });
  const out = el("span", { class: "count" });
  const discard = el("div", { class: "discard" }, heap, out);
  const reader = el("div", { class: "p-hidden" });
  fill(container, el("div", { class: "lines" }, ...rows.map((row) => row.box)),
    el("div", { class: "packs" }, talon, discard), reader);
  container.addEventListener("click", () => felt.store.skip());
  phone.addEventListener("change", () => {
    for (const row of rows) row.cards.replaceChildren();
    render(felt.store.get());
  });

  /** @param {Which} which @returns {Row} */
  function rowNode(which) {
    const name = el("span", { class: "row-name" });
    const cards = el("div", { class: "row-cards", "aria-hidden": "true" });
    const total = el("output", { class: "row-total" });
    const box = el("div", { class: "row", data: { row: which } }, name, cards, total);
    return { which, box, name, cards, total };
  }

  /** @param {State} state */
  function render(state) {
    const { shown } = state;
    for (const row of rows) draw(row, shown);
    const size = facts.packs * CARDS_OF_A_PACK;
    const number = shown.left ?? 0;
    talon.dataset["left"] = String(number);
    talon.classList.toggle("empty", number === 0);
    pack.style.setProperty("--edges", String(Math.ceil((TALLEST * number) / size)));
    fill(left, texts.say("felt.left", { number }));
    fill(out, texts.say("felt.out", { number: shown.out }));
    heap.style.setProperty("--edges", String(Math.ceil((TALLEST * shown.out) / size)));
    discard.classList.toggle("empty", shown.out === 0);
    marker.hidden = shown.marker === null || shown.markerShown || number === 0;
    if (shown.marker !== null && number > 0) {
      marker.style.setProperty("--at", String(Math.min(1, shown.marker / number)));
    }
    talon.classList.toggle("last", shown.markerShown);
    read(shown);
  }

  /** @param {Row} row @param {Scene} shown */
  function draw(row, shown) {
    const cards = shown.rows[row.which];
    const colour = felt.colourOf(row.which);
    const total = shown.totals[row.which];
    row.box.dataset["total"] = String(total);
    row.box.dataset["colour"] = colour;
    row.box.classList.toggle("stale", shown.stale);
    row.box.classList.toggle("lit", (shown.verdicts[colour] ?? "") === "win" && !shown.stale);
    row.box.classList.toggle("won", (shown.verdicts[colour] ?? "") === "win");
    fill(row.name, felt.chanceName(colour));
    row.total.textContent = total ? String(total) : "";
    row.cards.style.setProperty("--cards", String(Math.max(2, cards.length)));
    // Cards that lie already stay: only new ones come from the talon.
    const lying = [...row.cards.children];
    const same = lying.every((node, place) => node.getAttribute("data-card") === cards[place]);
    if (!same || lying.length > cards.length) row.cards.replaceChildren();
    for (const card of cards.slice(row.cards.childElementCount)) {
      const node = cardNode(card, { small: phone.matches });
      node.classList.add("dealt");
      row.cards.append(node);
    }
  }

  /** The rows as a table, for those who do not see them. @param {Scene} shown */
  function read(shown) {
    const key = JSON.stringify([shown.rows, shown.totals, texts.language]);
    if (reader.dataset["key"] === key) return;
    reader.dataset["key"] = key;
    fill(reader, el("table", {},
      el("caption", {}, texts.say("felt.rows")),
      el("thead", {}, el("tr", {}, ...["felt.row", "felt.cards", "felt.total"].map((each) =>
        el("th", { scope: "col" }, texts.say(each))))),
      el("tbody", {}, ...rows.map(({ which }) => el("tr", {},
        el("th", { scope: "row" }, felt.chanceName(felt.colourOf(which))),
        el("td", {}, shown.rows[which].map((card) => cardName(card, texts)).join(", ") || texts.say("felt.no_cards")),
        el("td", {}, shown.totals[which] || ""))))));
  }

  return { render, talon };
}
