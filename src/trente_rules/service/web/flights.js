/**
 * Chips that move: to the bank, from it, to the player, to a prison. Only pictures fly; what lies
 * on the table is drawn from the state.
 */

import { stackNode } from "./chips.js";
import { isFree } from "./scene.js";

/**
 * @import {Felt} from "./felt.js"
 * @import {Tableau} from "./tableau.js"
 * @import {AnyEvent, Line} from "./trente.js"
 */

/** @typedef {{left: number, top: number}} Spot */

/** @param {Element | null} node @returns {Spot | null} the middle of an element */
function middle(node) {
  const box = node?.getBoundingClientRect();
  return box && (box.width > 0 || box.left > 0) ? { left: box.left + box.width / 2, top: box.top + box.height / 2 } : null;
}

/**
 * Return what shows the movements of a settlement.
 * @param {Felt} felt
 * @param {{tableau: Tableau, bank: HTMLElement, hand: HTMLElement}} places
 */
export function createFlights(felt, { tableau, bank, hand }) {
  const { money, facts } = felt;
  const worth = Number(facts.unit);

  /** @param {number} amount @param {Spot | null} from @param {Spot | null} to @param {number} wait @param {boolean} [fades] */
  function fly(amount, from, to, wait, fades = false) {
    const ms = Math.min(700, felt.pace() * 1.1);
    if (!from || !to || amount <= 0 || ms < 60 || felt.still()) return;
    const node = stackNode(amount, facts.chips, money, worth);
    node.classList.add("flying");
    document.body.append(node);
    const at = (/** @type {Spot} */ spot) => `translate(${spot.left}px, ${spot.top}px) translate(-50%, -50%)`;
    const moved = node.animate([
      { transform: at(from), opacity: 1 },
      { transform: at(to), opacity: fades ? 0.2 : 1 },
    ], { duration: ms, delay: wait, easing: "cubic-bezier(.3,.1,.3,1)", fill: "both" });
    moved.finished.then(() => node.remove(), () => node.remove());
  }

  /** @param {Line} line */
  function settle(line) {
    const ms = Math.min(700, felt.pace() * 1.1);
    const field = tableau.fieldOf(line.stake.chance);
    const lies = middle(tableau.stackOf(line.stake.chance) ?? field);
    fly(line.forfeited + line.premium_kept, lies, middle(bank), 0, true);
    fly(line.won, middle(bank), lies, 0);
    if (line.after && isFree(line.stake)) fly(line.staying, lies, middle(tableau.prisonOf(line.stake.chance)), 0);
    fly(line.returned + line.won, lies, middle(hand), line.won > 0 ? ms : 0, true);
  }

  return {
    /** Called before an event is drawn. @param {AnyEvent} event */
    before: (event) => {
      if (event.kind === "stake-settled") settle(event.line);
    },
    fly,
    middle,
  };
}
