/** Cards as the dealer enters them: typed, by a reader, or out of a grid of 52. */

import { el } from "./dom.js";
import { face } from "./faces.js";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const SUITS = ["♠", "♥", "♦", "♣"];
const LETTERS = /** @type {{[letter: string]: string}} */ ({ S: "♠", H: "♥", D: "♦", C: "♣" });

/**
 * Return a card as it is on the wire, or null where the text is none: `10h`, `th`, `Q♠`.
 * @param {string} text
 */
export function cardOf(text) {
  const plain = text.trim().toUpperCase();
  const suit = LETTERS[plain.slice(-1)] ?? plain.slice(-1);
  const rank = plain.slice(0, -1) === "T" ? "10" : plain.slice(0, -1);
  return RANKS.includes(rank) && SUITS.includes(suit) ? `${rank}${suit}` : null;
}

/**
 * Return the cards of a text, and the first part of it that is none.
 * @param {string} text
 * @returns {{cards: string[], bad: string}}
 */
export function cardsOf(text) {
  const cards = [];
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const card = cardOf(part);
    if (!card) return { cards, bad: part };
    cards.push(card);
  }
  return { cards, bad: "" };
}

/**
 * Return the grid of 52 cards; `turn` is called with the one that is pressed.
 * @param {(card: string) => string} label
 * @param {(card: string) => void} turn
 */
export function cardGrid(label, turn) {
  return el(
    "div",
    { class: "p-deck", role: "group" },
    SUITS.map((suit) =>
      el(
        "div",
        { class: "p-suit" },
        RANKS.map((rank) => {
          const card = `${rank}${suit}`;
          return el(
            "button",
            {
              type: "button",
              class: "p-deck-card",
              "aria-label": label(card),
              data: { card },
              onclick: () => turn(card),
            },
            face(card),
          );
        }),
      ),
    ),
  );
}
