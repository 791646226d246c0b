/**
 * The cloth: one half of the table, as a player sees it who sits at it.
 *
 * The places are those of the older descriptions. R. F. Foster (1897): "two large diamonds, one red
 * and the other black, separated by a square space and a triangle"; the square is couleur, the
 * triangle inverse. Encyclopaedia Britannica (1911): rouge and noir are the grand tableau, couleur
 * and inverse the petit tableau, and the other half of the table corresponds precisely to this one.
 * Neither says which diamond is on the left. A stake in prison lies on the line of its field, as
 * Foster's "little square marked out on the table, belonging to the colour".
 */

import { stackNode } from "./chips.js";
import { el, fill, svg } from "./panels/dom.js";
import { isFree } from "./scene.js";

/**
 * @import {ChanceFacts, Stake} from "./trente.js"
 * @import {Felt} from "./felt.js"
 * @import {State} from "./store.js"
 */

/** The simple chances from left to right; others follow as side bets. */
const PLACES = ["rouge", "couleur", "inverse", "noir"];

const NOBODY = { amount: 0, prisoners: 0, players: 0 };

/**
 * @typedef {object} Field
 * @property {ChanceFacts} chance
 * @property {HTMLElement} box
 * @property {HTMLButtonElement} button
 * @property {HTMLElement} label   its name, for those who do not see it
 * @property {HTMLElement} own
 * @property {HTMLElement} others
 * @property {HTMLElement} result
 * @property {HTMLElement} prison
 * @property {string} drawn      what is drawn now, so that only what changed is drawn again
 */

/**
 * @typedef {object} Tableau
 * @property {(state: State) => void} render
 * @property {(chance: string) => HTMLElement | null} stackOf
 * @property {(chance: string) => HTMLElement | null} fieldOf
 * @property {(chance: string) => HTMLElement | null} prisonOf
 * @property {(chance: string | null) => void} aim   show where a chip would fall
 */

/** @param {string} chance */
function markOf(chance) {
  switch (chance) {
    case "rouge":
    case "noir":
      return svg("svg", { class: `mark lozenge ${chance}`, viewBox: "0 0 100 140", "aria-hidden": "true" },
        svg("path", { d: "M50 3 97 70 50 137 3 70Z", class: "fill" }),
        svg("path", { d: "M50 14 88 70 50 126 12 70Z", class: "inlay" }));
    case "couleur":
      return svg("svg", { class: "mark couleur", viewBox: "0 0 100 100", "aria-hidden": "true" },
        svg("path", { d: "M4 4H96L4 96Z", class: "fill rouge" }),
        svg("path", { d: "M96 4V96H4Z", class: "fill noir" }));
    case "inverse":
      return svg("svg", { class: "mark inverse", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("path", { d: "M2 2H98L50 98Z", class: "ground" }),
        svg("path", { d: "M2 2H98L50 98Z", class: "outline" }));
    default:
      return null;
  }
}

/**
 * Put the cloth into the page.
 * @param {HTMLElement} container
 * @param {Felt} felt
 * @returns {Tableau}
 */
export function mountTableau(container, felt) {
  const { store, texts, money, facts, bets } = felt;
  const worth = Number(facts.unit);
  const order = [
    ...PLACES.map((id) => facts.chances.find((chance) => chance.id === id)),
    ...facts.chances.filter((chance) => !PLACES.includes(chance.id)),
  ].filter((chance) => chance !== undefined);
  const fields = new Map(order.map((chance) => [chance.id, fieldNode(chance)]));
  const grand = order.filter((chance) => PLACES.includes(chance.id));
  const side = order.filter((chance) => !PLACES.includes(chance.id));

  const cloth = el("div", {
    class: `cloth${fields.has("couleur") ? "" : " two"}`, role: "group", "aria-label": texts.say("felt.grand"),
  }, ...grand.map((chance) => fields.get(chance.id)?.box ?? null));
  fill(container, cloth, side.length === 0 ? null : el("div", {
    class: "side", role: "group", "aria-label": texts.say("felt.side"),
  }, ...side.map((chance) => fields.get(chance.id)?.box ?? null)));

  /** @param {ChanceFacts} chance @returns {Field} */
  function fieldNode(chance) {
    const own = el("span", { class: "own", "aria-hidden": "true" });
    const others = el("span", { class: "others", "aria-hidden": "true" });
    const result = el("span", { class: "verdict", "aria-hidden": "true" });
    const label = el("span", { class: "p-hidden" });
    const prison = el("div", { class: "prison" });
    const button = el("button", {
      type: "button", class: "place", data: { chance: chance.id }, "aria-keyshortcuts": chance.key || null,
      onclick: () => felt.touch(chance.id),
      oncontextmenu: (/** @type {MouseEvent} */ event) => {
        event.preventDefault();
        bets.takeOff(chance.id);
      },
    }, label, markOf(chance.id), el("span", { class: "name", "aria-hidden": "true" }, shortName(chance)),
    chance.key ? el("kbd", { "aria-hidden": "true" }, chance.key) : null, others, own, result);
    longPress(button, () => bets.takeOff(chance.id));
    const box = el("div", { class: `field ${chance.id}${chance.simple ? "" : " side-bet"}` }, button, prison);
    return { chance, box, button, label, own, others, result, prison, drawn: "" };
  }

  /** A side bet has little room: "exact après 34" is "34" there. @param {ChanceFacts} chance */
  function shortName(chance) {
    const point = chance.simple ? null : /(\d+)$/.exec(chance.id);
    return point?.[1] ?? chance.name;
  }

  /** @param {State} state */
  function render(state) {
    for (const field of fields.values()) draw(field, state);
  }

  /** @param {Field} field @param {State} state */
  function draw(field, state) {
    const { shown, facts: now } = state;
    const { id } = field.chance;
    const stakes = shown.stakes.filter((stake) => stake.chance === id);
    const free = stakes.filter(isFree);
    const held = stakes.filter((stake) => !isFree(stake));
    const own = sum(free);
    const { amount: others, prisoners: othersHeld, players: people } = state.others[id] ?? NOBODY;
    const verdict = shown.verdicts[id] ?? "";
    const result = verdict.split("-")[0] ?? "";
    const lit = shown.stale ? `${result} stale` : result;
    const key = JSON.stringify([stakes, shown.premiums, others, othersHeld, people, verdict, lit, texts.language,
      state.known.betting, now?.name, felt.moving()]);
    if (key === field.drawn) return;
    field.drawn = key;
    const { button } = field;
    field.label.textContent = nameOf(field, { free, held, others, people, verdict: shown.stale ? "" : verdict, state });
    set(button, "own", own);
    set(button, "prisoners", sum(held));
    set(button, "others", others);
    set(button, "result", result);
    button.classList.toggle("stale", shown.stale);
    field.box.classList.toggle("staked", own > 0);
    fill(field.own, own > 0 ? stackNode(own, facts.chips, money, worth) : null,
      free.some((stake) => stake.insured) ? shield() : null);
    fill(field.others, others > 0 || othersHeld > 0 ? stackNode(others + othersHeld, facts.chips, money, worth) : null,
      others + othersHeld > 0 && people > 0 ? el("span", { class: "people" }, `\u00d7${people}`) : null);
    fill(field.result, verdict ? verdictText(verdict) : null);
    fill(field.prison, ...held.map(prisoner));
  }

  /** "wins"; of a refait its point too. @param {string} verdict */
  function verdictText(verdict) {
    const [kind = "", point] = verdict.split("-");
    const text = texts.find(`field.${kind}`) === undefined ? texts.verdict(verdict) : texts.say(`field.${kind}`);
    return point ? `${text} ${point}` : text;
  }

  /** @param {Stake} stake */
  function prisoner(stake) {
    const state = texts.state(stake.state);
    const part = el("span", { class: "level", "aria-hidden": "true" }, state);
    const pile = stackNode(stake.amount, facts.chips, money, worth);
    const content = [pile, part, stake.insured || stake.covered ? shield() : null];
    const name = texts.say("field.held", { amount: money.format(stake.amount), state });
    if (!facts.prisoners_move || !store.get().known.betting) {
      return el("span", { class: "prisoner", data: { stake: stake.id, state: stake.state, level: stake.state.split("-")[1] }, "aria-hidden": "true" }, ...content);
    }
    return el("button", {
      type: "button", class: `prisoner movable${felt.moving() === stake.id ? " moving" : ""}`,
      data: { stake: stake.id, state: stake.state, level: stake.state.split("-")[1] }, "aria-pressed": String(felt.moving() === stake.id),
      onclick: () => felt.move(stake.id),
    }, el("span", { class: "p-hidden" }, `${texts.say("do.move")}: ${texts.chance(stake.chance)}, ${name}`), ...content);
  }

  /**
   * @param {Field} field
   * @param {{free: Stake[], held: Stake[], others: number, people: number, verdict: string, state: State}} seen
   */
  function nameOf(field, { free, held, others, people, verdict, state }) {
    const { chance } = field;
    const parts = [chance.name];
    for (const stake of free) {
      parts.push(texts.say("field.own", { amount: money.format(stake.amount) }));
      const premium = state.shown.premiums[stake.id];
      if (stake.insured) {
        parts.push(premium ? texts.say("field.insured_for", { premium: money.format(premium) }) : texts.say("field.insured"));
      }
    }
    if (free.length === 0) parts.push(texts.say("field.none"));
    for (const stake of held) {
      const values = { amount: money.format(stake.amount), state: texts.state(stake.state) };
      parts.push(stake.insured || stake.covered ? texts.say("field.held_insured", values) : texts.say("field.held", values));
    }
    if (others > 0) {
      const values = { amount: money.format(others), number: people };
      parts.push(people > 1 ? texts.say("field.others_many", values) : texts.say("field.others", values));
    }
    if (verdict) parts.push(verdictText(verdict));
    return parts.join(", ");
  }

  return {
    render,
    stackOf: (chance) => fields.get(chance)?.own.querySelector(".pile") ?? null,
    prisonOf: (chance) => fields.get(chance)?.prison ?? null,
    fieldOf: (chance) => fields.get(chance)?.box ?? null,
    aim: (chance) => {
      for (const [id, field] of fields) field.box.classList.toggle("aim", id === chance);
    },
  };
}

/** @param {readonly Stake[]} stakes */
const sum = (stakes) => stakes.reduce((total, stake) => total + stake.amount, 0);

/** @param {HTMLElement} node @param {string} name @param {number | string} value nothing for 0 and "" */
function set(node, name, value) {
  if (value) node.dataset[name] = String(value);
  else delete node.dataset[name];
}

/** The sign of an insured stake. */
export function shield() {
  return svg("svg", { viewBox: "0 0 24 24", class: "shield", "aria-hidden": "true" },
    svg("path", { d: "M12 2 20 5v6c0 6-4 9-8 11-4-2-8-5-8-11V5Z" }),
    svg("path", { d: "m8 12 3 3 5-6", class: "tick" }));
}

const LONG = 550;

/**
 * Call back after a long press, and swallow the click that ends it.
 * @param {HTMLElement} node
 * @param {() => void} done
 */
function longPress(node, done) {
  /** @type {number | undefined} */
  let timer;
  let held = false;
  const stop = () => clearTimeout(timer);
  node.addEventListener("pointerdown", (event) => {
    held = false;
    if (event.pointerType === "mouse") return;
    stop();
    timer = window.setTimeout(() => {
      held = true;
      done();
    }, LONG);
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave", "pointermove"]) {
    node.addEventListener(kind, (event) => {
      if (kind === "pointermove" && Math.hypot(/** @type {PointerEvent} */ (event).movementX, /** @type {PointerEvent} */ (event).movementY) < 4) return;
      stop();
    });
  }
  node.addEventListener("click", (event) => {
    if (!held) return;
    held = false;
    event.stopImmediatePropagation();
  }, { capture: true });
}
