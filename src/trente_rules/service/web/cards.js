/**
 * Playing cards, drawn: pips where a card has them, simple two-headed figures for court cards.
 */

import { svg } from "./panels/dom.js";

/** @import {Texts} from "./panels/types.js" */

/** @typedef {"spades" | "hearts" | "diamonds" | "clubs"} Suit */

/** @type {{[sign: string]: Suit}} */
const SUITS = { "\u2660": "spades", "\u2665": "hearts", "\u2666": "diamonds", "\u2663": "clubs" };

/** Each suit in a square of 100, its middle at 50, 50. @type {{[suit in Suit]: string}} */
const SHAPES = {
  hearts: "M50 90C22 66 8 50 8 32 8 18 19 9 31 9c9 0 16 5 19 13 3-8 10-13 19-13 12 0 23 9 23 23 0 18-14 34-42 58Z",
  diamonds: "M50 4C60 22 72 37 86 50 72 63 60 78 50 96 40 78 28 63 14 50 28 37 40 22 50 4Z",
  spades: "M50 5C62 24 90 38 90 60c0 13-9 21-20 21-7 0-13-3-16-8 1 10 5 17 12 22H34c7-5 11-12 12-22-3 5-9 8-16 8-11 0-20-8-20-21C10 38 38 24 50 5Z",
  clubs: "M50 6c12 0 21 9 21 20 0 7-3 12-8 16 3-2 7-3 11-3 11 0 20 9 20 20s-9 20-20 20c-8 0-15-4-19-10 1 11 5 19 12 25H33c7-6 11-14 12-25-4 6-11 10-19 10-11 0-20-9-20-20s9-20 20-20c4 0 8 1 11 3-5-4-8-9-8-16C29 15 38 6 50 6Z",
};

const [LEFT, MIDDLE, RIGHT] = [36, 50, 64];
const [TOP, HIGH, UPPER, CENTRE, LOWER, LOW, BOTTOM] = [25, 37, 55, 70, 85, 103, 115];

/** Where the pips lie, by rank. @type {{[rank: string]: readonly (readonly [number, number])[]}} */
const PIPS = {
  2: [[MIDDLE, TOP], [MIDDLE, BOTTOM]],
  3: [[MIDDLE, TOP], [MIDDLE, CENTRE], [MIDDLE, BOTTOM]],
  4: [[LEFT, TOP], [RIGHT, TOP], [LEFT, BOTTOM], [RIGHT, BOTTOM]],
  5: [[LEFT, TOP], [RIGHT, TOP], [MIDDLE, CENTRE], [LEFT, BOTTOM], [RIGHT, BOTTOM]],
  6: [[LEFT, TOP], [RIGHT, TOP], [LEFT, CENTRE], [RIGHT, CENTRE], [LEFT, BOTTOM], [RIGHT, BOTTOM]],
  7: [[LEFT, TOP], [RIGHT, TOP], [MIDDLE, 47], [LEFT, CENTRE], [RIGHT, CENTRE], [LEFT, BOTTOM], [RIGHT, BOTTOM]],
  8: [[LEFT, TOP], [RIGHT, TOP], [MIDDLE, 47], [LEFT, CENTRE], [RIGHT, CENTRE], [MIDDLE, 93], [LEFT, BOTTOM], [RIGHT, BOTTOM]],
  9: [[LEFT, TOP], [RIGHT, TOP], [LEFT, UPPER], [RIGHT, UPPER], [MIDDLE, CENTRE], [LEFT, LOWER], [RIGHT, LOWER], [LEFT, BOTTOM], [RIGHT, BOTTOM]],
  10: [[LEFT, TOP], [RIGHT, TOP], [MIDDLE, HIGH + 3], [LEFT, UPPER], [RIGHT, UPPER], [LEFT, LOWER], [RIGHT, LOWER], [MIDDLE, LOW - 3], [LEFT, BOTTOM], [RIGHT, BOTTOM]],
};

const RANKS = {
  A: "ace", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight",
  9: "nine", 10: "ten", J: "jack", Q: "queen", K: "king",
};

/** @typedef {{rank: keyof typeof RANKS, suit: Suit, red: boolean}} Face */

/**
 * Return the rank and the suit of a card of the wire, such as `10♥`.
 * @param {string} card
 * @returns {Face}
 */
export function faceOf(card) {
  const suit = SUITS[card.slice(-1)] ?? "spades";
  const rank = /** @type {keyof typeof RANKS} */ (card.slice(0, -1));
  return { rank, suit, red: suit === "hearts" || suit === "diamonds" };
}

/**
 * Return the name of a card: "ten of hearts".
 * @param {string} card
 * @param {Pick<Texts, "say">} texts
 */
export function cardName(card, texts) {
  const { rank, suit } = faceOf(card);
  return texts.say("card.name", { rank: texts.say(`card.${RANKS[rank]}`), suit: texts.say(`card.${suit}`) });
}

/** @param {string} shape @param {number} x @param {number} y @param {number} size @param {boolean} [turned] */
function mark(shape, x, y, size, turned = false) {
  const scale = size / 100;
  const turn = turned ? ` rotate(180 50 50)` : "";
  const place = `translate(${x - size / 2} ${y - size / 2}) scale(${scale})${turn}`;
  return svg("path", { d: shape, transform: place, class: "ink" });
}

/** @param {Face} face @param {string} letter @param {boolean} small */
function corner(face, letter, small) {
  const wide = letter.length > 1;
  return svg("g", {},
    svg("text", {
      x: small ? (wide ? 37 : 30) : 15, y: small ? 50 : 27, class: wide ? "ink index wide" : "ink index",
      "text-anchor": "middle", "font-size": small ? (wide ? 52 : 60) : wide ? 22 : 25,
    }, letter),
    small ? null : mark(SHAPES[face.suit], 15, 40, 16));
}

/** The upper half of a court card. @param {Face} face */
function figure(face) {
  const { rank } = face;
  const parts = [svg("path", { d: "M25 70v-3c3-9 12-13 29-13s26 4 29 13v3Z", class: "robe" })];
  parts.push(svg("path", { d: "M45 54h18l4 16H41Z", class: "trim" }));
  parts.push(svg("path", { d: "M25 70c3-6 8-10 14-12l4 12ZM83 70c-3-6-8-10-14-12l-4 12Z", class: "sleeve" }));
  if (rank === "Q") {
    parts.push(svg("path", { d: "M40 40c-1-17 29-17 28 0l3 17c-8 5-26 5-34 0Z", class: "hair" }));
  } else {
    parts.push(svg("path", { d: "M42 40c-1-14 25-14 24 0l1 9c-5 3-21 3-26 0Z", class: "hair" }));
  }
  parts.push(svg("path", { d: "M45 37h18v8c0 8-5 12-9 12s-9-4-9-12Z", class: "skin" }));
  parts.push(svg("path", { d: "M49 42.5h3M56 42.5h3M51.5 51.5c2 1 3 1 5 0M54 43v4.5", class: "line" }));
  if (rank === "K") {
    parts.push(svg("path", { d: "M44.5 45c2 5 6 3 9.500 3s7.500 2 9.500-3c1 9-3 16-9.500 16s-10.500-7-9.500-16Zm6 5.500c2 2 5 2 7 0Z", class: "hair" }));
    parts.push(svg("path", { d: "M41 37 38 22l9 7 7-11 7 11 9-7-3 15c-8-3-18-3-26 0Z", class: "gold" }));
  } else if (rank === "Q") {
    parts.push(svg("path", { d: "M43 36l-3-10 7 5 3-8 4 6 4-6 3 8 7-5-3 10c-7-3-15-3-22 0Z", class: "gold" }));
  } else {
    parts.push(svg("path", { d: "M40 38c-3-14 8-17 17-16 8 1 13 6 11 14-9-3-19-3-28 2Z", class: "robe" }));
    parts.push(svg("path", { d: "M63 24c6-8 14-8 17-4-3 8-9 12-16 11Z", class: "gold" }));
    parts.push(svg("path", { d: "M40 38c9-5 19-5 28-2l-1 3c-9-2-18-2-26 2Z", class: "trim" }));
  }
  return parts;
}

/** @param {Face} face */
function court(face) {
  const half = () => svg("g", {}, ...figure(face), mark(SHAPES[face.suit], 36, 26, 17));
  const lower = half();
  lower.setAttribute("transform", "rotate(180 54 70)");
  return svg("g", { class: "court", transform: "translate(50 70) scale(.86 1) translate(-54 -70)" },
    svg("rect", { x: 25, y: 11, width: 58, height: 118, rx: 3, class: "panel" }),
    half(), lower,
    svg("path", { d: "M25 70h58", class: "belt" }),
    svg("rect", { x: 25, y: 11, width: 58, height: 118, rx: 3, class: "frame" }));
}

/** @param {Face} face @param {string} letter @param {boolean} small */
function drawn(face, letter, small) {
  const shape = SHAPES[face.suit];
  const parts = [corner(face, letter, small)];
  if (small) return [...parts, mark(shape, 58, 98, 66)];
  if ("JQK".includes(String(face.rank))) parts.push(court(face));
  else if (face.rank === "A") parts.push(mark(shape, MIDDLE, 70, 50));
  else {
    for (const [x, y] of PIPS[face.rank] ?? []) parts.push(mark(shape, x, y, 18, y > CENTRE));
  }
  const other = corner(face, letter, small);
  other.setAttribute("transform", "rotate(180 50 70)");
  return [...parts, other];
}

/**
 * Return a card. Its name is given where it is read alone; in a row the row is read.
 * @param {string} card text of the wire, such as `10♥`
 * @param {{small?: boolean, texts?: Pick<Texts, "say"> | null}} [options]
 * @returns {SVGElement}
 */
export function cardNode(card, { small = false, texts = null } = {}) {
  const face = faceOf(card);
  const letters = texts && "AJQK".includes(String(face.rank)) ? texts.say(`card.index_${RANKS[face.rank]}`) : face.rank;
  const node = svg("svg", {
    viewBox: "0 0 100 140", class: `card ${face.red ? "red" : "black"}${small ? " small" : ""}`,
    "data-card": card, ...(texts ? { role: "img", "aria-label": cardName(card, texts) } : { "aria-hidden": "true" }),
  });
  node.append(svg("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "paper" }),
    ...drawn(face, String(letters), small));
  return node;
}

/** Return the back of a card. @returns {SVGElement} */
export function cardBack() {
  const lines = [];
  for (let x = -140; x <= 100; x += 12) {
    lines.push(svg("path", { d: `M${x} 140 ${x + 140} 0M${x} 0l140 140`, class: "weave" }));
  }
  return svg("svg", { viewBox: "0 0 100 140", class: "card back", "aria-hidden": "true" },
    svg("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "paper" }),
    svg("svg", { x: 7, y: 7, width: 86, height: 126, viewBox: "7 7 86 126" },
      svg("rect", { x: 7, y: 7, width: 86, height: 126, rx: 5, class: "ground" }), ...lines),
    svg("rect", { x: 7, y: 7, width: 86, height: 126, rx: 5, class: "border" }),
    svg("path", { d: "M50 44 68 70 50 96 32 70Z", class: "crest" }));
}
