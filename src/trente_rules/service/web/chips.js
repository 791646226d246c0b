/**
 * Chips: their colours by value, and stacks of them for an amount.
 */

import { el, svg } from "./panels/dom.js";

/** @import {Money} from "./money.js" */

/** Colours by the first digits of a value, from small to large. @type {readonly (readonly [number, string])[]} */
const COLOURS = [
  [0.5, "grey"], [1, "white"], [2, "pink"], [5, "red"], [10, "blue"], [20, "teal"], [25, "green"],
  [50, "orange"], [100, "black"], [200, "brown"], [250, "brown"], [500, "purple"], [1000, "gold"],
  [2000, "rose"], [5000, "navy"], [10000, "ruby"],
];
const HIGHEST = 7; // chips of a stack that are drawn: more do not look like more

/** @param {number} value in the currency @returns {string} */
function colourOf(value) {
  const found = COLOURS.filter(([from]) => from <= value).at(-1);
  return found ? found[1] : "grey";
}

/**
 * Return one chip.
 * @param {number} units
 * @param {Money} money
 * @param {number} worth  of one unit, in the currency
 * @returns {SVGElement}
 */
export function chipNode(units, money, worth) {
  const face = money.face(units);
  return svg("svg", { viewBox: "0 0 48 48", class: `chip ${colourOf(units * worth)}`, "aria-hidden": "true" },
    svg("circle", { cx: 24, cy: 24, r: 23, class: "rim" }),
    svg("circle", { cx: 24, cy: 24, r: 19.5, class: "edge" }),
    svg("circle", { cx: 24, cy: 24, r: 15.5, class: "face" }),
    svg("circle", { cx: 24, cy: 24, r: 13.5, class: "ring" }),
    svg("text", {
      x: 24, y: 24, class: "value", "text-anchor": "middle", "dominant-baseline": "central",
      "font-size": face.length > 3 ? 10 : face.length > 2 ? 12.5 : 15,
    }, face));
}

/**
 * Return the chips that make an amount, the largest first; what no chip pays is left.
 * @param {number} amount
 * @param {readonly number[]} values
 * @returns {{chips: number[], left: number}}
 */
export function changed(amount, values) {
  const chips = [];
  let left = amount;
  for (const value of [...values].sort((a, b) => b - a)) {
    for (; left >= value && chips.length < 60; left -= value) chips.push(value);
  }
  return { chips, left };
}

/**
 * Return a stack of chips for an amount, with the amount below it.
 * @param {number} amount
 * @param {readonly number[]} values
 * @param {Money} money
 * @param {number} worth
 * @returns {HTMLElement}
 */
export function stackNode(amount, values, money, worth) {
  const { chips, left } = changed(amount, values);
  if (left > 0) chips.push(left);
  const drawn = chips.slice(0, HIGHEST);
  const pile = el("span", { class: "pile" });
  drawn.forEach((units, place) => {
    const chip = chipNode(units, money, worth);
    chip.style.setProperty("--place", String(place));
    pile.append(chip);
  });
  pile.style.setProperty("--height", String(drawn.length));
  return el("span", { class: "stack", "aria-hidden": "true" }, pile, el("span", { class: "worth" }, money.format(amount)));
}
