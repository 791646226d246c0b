/** Cards and chances in a line of text: rank and suit, the colour said by the suit as well. */

/** @import {Context} from "./types.js" */
/** @import {HouseFacts} from "../trente.js" */

import { el } from "./dom.js";

const LETTERS = /** @type {{[letter: string]: string}} */ ({ S: "♠", H: "♥", D: "♦", C: "♣" });

/**
 * Return the rank and the suit of a card as it is on the wire.
 * @param {string} card
 * @returns {[string, string]}
 */
export function parts(card) {
  const last = card.slice(-1);
  return [card.slice(0, -1), LETTERS[last.toUpperCase()] ?? last];
}

/**
 * Return whether a card is red.
 * @param {string} card
 */
export function red(card) {
  return "♥♦".includes(parts(card)[1]);
}

/**
 * Return a small card.
 * @param {string} card
 */
export function face(card) {
  const [rank, suit] = parts(card);
  return el("span", { class: `p-face ${red(card) ? "red" : "black"}` }, `${rank}${suit}`);
}

/**
 * Return a row of small cards with the name of its colour and its point.
 * @param {Context["texts"]} texts
 * @param {{colour: string, cards: readonly string[], point: number | null}} row
 * @param {boolean} won
 */
export function rowLine(texts, row, won) {
  return el(
    "div",
    { class: `p-row ${row.colour}${won ? " won" : ""}` },
    el("span", { class: "p-row-name" }, texts.chance(row.colour)),
    el("span", { class: "p-faces" }, row.cards.map(face)),
    el("span", { class: "p-point" }, row.point ?? "–"),
  );
}

/**
 * Return what a chance is called at a table, a side bet too.
 * @param {Context["texts"]} texts
 * @param {HouseFacts | null} facts
 * @param {string} id
 */
export function chanceName(texts, facts, id) {
  return facts?.chances.find((chance) => chance.id === id)?.name ?? texts.chance(id);
}

/**
 * Return an amount with its sign, in the colour of gain or loss; the sign says it as well.
 * @param {Context["money"]} money
 * @param {number | null} units
 */
export function net(money, units) {
  if (units === null) return null;
  const kind = units > 0 ? "gain" : units < 0 ? "loss" : "even";
  return el("span", { class: `p-net ${kind}`, data: { net: units } }, money.signed(units));
}
