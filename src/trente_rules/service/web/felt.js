/**
 * The table as a player uses it: the parts of the felt put together, and what they share.
 */

import { ApiError } from "./panels/api.js";
import { createBets } from "./bets.js";
import { mountCutting } from "./cutting.js";
import { enableDragging } from "./drag.js";
import { createFlights } from "./flights.js";
import { mountInsurance } from "./insurance.js";
import { digitReader } from "./keys.js";
import { Refused } from "./connection.js";
import { mountRows } from "./rows.js";
import { mountStatus } from "./status.js";
import { mountTableau } from "./tableau.js";
import { mountTray } from "./tray.js";

/**
 * @import {HouseFacts} from "./trente.js"
 * @import {Api, SettingsStore, Texts} from "./panels/types.js"
 * @import {Bets} from "./bets.js"
 * @import {Connection} from "./connection.js"
 * @import {Keys} from "./keys.js"
 * @import {Money} from "./money.js"
 * @import {State, Store} from "./store.js"
 */

/**
 * What the parts of the felt share.
 * @typedef {object} Felt
 * @property {Store} store
 * @property {Connection} connection
 * @property {Api} api
 * @property {Texts} texts
 * @property {SettingsStore} settings
 * @property {Money} money
 * @property {HouseFacts} facts
 * @property {Bets} bets
 * @property {(text: string) => void} tell          show a text for a while
 * @property {(error: unknown) => void} complain    say why something was refused
 * @property {(chance: string) => string} chanceName
 * @property {(which: "first" | "second") => string} colourOf  of a row
 * @property {(chance: string) => void} touch       a field was chosen
 * @property {() => string} moving                  the prisoner that is being moved
 * @property {(stake: string) => void} move
 * @property {() => void} go                        deal, be ready, show all, or choose
 * @property {(state: State) => {label: string, enabled: boolean, part: number}} next
 * @property {(state: State) => string} waiting     what the table waits for
 * @property {() => void} leave                     back to the tables
 * @property {() => number} pace
 * @property {() => boolean} still
 */

/** Milliseconds between two cards. */
const PACES = { slow: 1100, normal: 560, fast: 220, once: 0 };

/** Return the pace of the settings, in milliseconds between two cards. @param {SettingsStore} settings */
export const paceOf = (settings) => PACES[settings.get().pace];

/** The amounts among the values of a refusal. */
const AMOUNTS = new Set(["amount", "minimum", "maximum", "multiple", "step", "unit", "purse", "before"]);

/**
 * Put the felt into the page; returns how to take it away.
 * @param {HTMLElement} main
 * @param {{store: Store, connection: Connection, api: Api, texts: Texts, settings: SettingsStore,
 *   money: Money, facts: HouseFacts, keys: Keys, leave: () => void}} given
 * @returns {() => void}
 */
export function mountFelt(main, { store, connection, api, texts, settings, money, facts, keys, leave }) {
  const motion = window.matchMedia("(prefers-reduced-motion: reduce)");
  let moving = "";

  /** @param {string} name */
  const part = (name) => {
    const found = main.querySelector(`[data-part="${name}"]`);
    if (!(found instanceof HTMLElement)) throw new Error(`the page has no part ${name}`);
    return found;
  };

  const pace = () => paceOf(settings);
  const still = () => motion.matches || document.hidden;

  /** @param {string} code @param {{[name: string]: unknown}} [values] @param {string} [title] */
  const refuse = (code, values = {}, title = code) => {
    const refusals = /** @type {{values?: {[name: string]: unknown}}[]} */ (values["refusals"] ?? []);
    const named = { ...values, ...refusals[0]?.values };
    const written = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, inWords(name, value)]));
    status.tell(texts.find(`refused.${code}`) === undefined ? title : texts.say(`refused.${code}`, written));
  };

  /** @param {string} name @param {unknown} value */
  const inWords = (name, value) => {
    if (AMOUNTS.has(name) && typeof value === "number") return money.format(value);
    if (name === "chance" || name === "opposite") return felt.chanceName(String(value));
    if (name === "at_most") {
      const [part = 0, whole = 1] = String(value).split("/").map(Number);
      return money.percent(part, whole);
    }
    return name === "state" ? texts.state(String(value)) : value;
  };

  /** @param {unknown} error */
  const complain = (error) => {
    if (error instanceof Refused || error instanceof ApiError) {
      const { code, values, title } = error.problem;
      refuse(code, values, title);
    }
  };

  const bets = createBets({ store, connection, api, table: store.get().table, refuse });

  /** @type {Felt["colourOf"]} */
  const colourOf = (which) => {
    const first = store.get().shown.firstRow || facts.first_colour;
    if (which === "first") return first;
    return first === "noir" ? "rouge" : "noir";
  };

  /** @type {Felt} */
  const felt = {
    store, connection, api, texts, settings, money, facts, bets, complain, colourOf, pace, still,
    tell: (text) => status.tell(text),
    chanceName: (id) => facts.chances.find((chance) => chance.id === id)?.name ?? texts.chance(id),
    touch: (chance) => {
      // Who touches the cloth while cards are dealt wants to see them; afterwards, to bet.
      if (store.get().dealing && store.skip()) return;
      if (!moving) return bets.place(chance);
      const stake = moving;
      moving = "";
      bets.move(stake, chance);
    },
    moving: () => moving,
    move: (stake) => {
      moving = moving === stake ? "" : stake;
      render();
    },
    go, next, waiting, leave,
  };

  function go() {
    const state = store.get();
    if (state.dealing) return void store.skip();
    const waits = state.clock?.waits_for;
    if (waits === "choices") return store.tell({ kind: "ask" });
    if (waits !== "bets" || state.clock?.until !== null) return;
    const ready = !state.ready;
    store.set({ ready }, "hand");
    connection.ready(ready).catch((error) => {
      store.set({ ready: !ready }, "hand");
      complain(error);
    });
  }

  /** @type {Felt["next"]} */
  function next(state) {
    if (state.me?.role !== "player") return { label: waiting(state), enabled: false, part: 1 };
    if (state.status !== "open") return { label: texts.say("do.deal"), enabled: false, part: 1 };
    if (state.dealing) return { label: texts.say("felt.skip"), enabled: true, part: 1 };
    const clock = state.clock;
    const many = (clock?.players ?? 1) > 1;
    switch (clock?.waits_for) {
      case "bets":
        if (clock.until !== null) return { label: waiting(state), enabled: false, part: share(state) };
        if (!many) return { label: texts.say("do.deal"), enabled: !state.ready, part: 1 };
        return { label: texts.say(state.ready ? "do.not_ready" : "do.ready"), enabled: true, part: 1 };
      case "choices":
        return { label: waiting(state), enabled: state.shown.offers.length > 0, part: share(state) };
      default:
        return { label: waiting(state), enabled: false, part: share(state) };
    }
  }

  /** @type {{until: number, whole: number}} the longest that was left of the clock's time */
  let longest = { until: 0, whole: 1 };

  /** The part of its time that a clock has left. @param {State} state */
  function share({ clock }) {
    if (!clock || clock.until === null) return 1;
    const left = Math.max(0, clock.until - performance.now());
    if (longest.until !== clock.until) longest = { until: clock.until, whole: Math.max(1, left) };
    return Math.min(1, left / longest.whole);
  }

  /** @type {Felt["waiting"]} */
  function waiting(state) {
    if (state.dealing) return texts.say("clock.dealing");
    if (state.shown.phase === "ended") return texts.say("result.session_closed");
    const clock = state.clock;
    if (!clock) return texts.say(state.shown.betting ? "clock.bets" : "clock.nothing");
    const left = clock.until === null ? null : Math.max(0, Math.ceil((clock.until - performance.now()) / 1000));
    if (clock.waits_for === "nothing") return texts.say("clock.nothing");
    if (left !== null) return texts.say(`clock.${clock.waits_for}_left`, { seconds: left });
    if (clock.waits_for === "bets" && clock.players > 1) {
      return texts.say("clock.ready", { ready: clock.ready, players: clock.players });
    }
    return texts.say(`clock.${clock.waits_for}`);
  }

  const status = mountStatus({ head: part("head"), notice: part("notice"), result: part("result"), live: part("live") }, felt);
  const rows = mountRows(part("rows"), felt);
  const tableau = mountTableau(part("cloth"), felt);
  const insurance = mountInsurance(part("insurance"), felt);
  const tray = mountTray(part("tray"), felt);
  const cutting = mountCutting(part("cutting"), felt);
  const flights = createFlights(felt, { tableau, bank: part("rows"), hand: tray.rack });
  const drop = enableDragging(felt, { tableau, rack: tray.rack, cloth: part("cloth") });
  const parts = [status, rows, tableau, insurance, tray, cutting];

  function render() {
    const state = store.get();
    const { shown } = state;
    Object.assign(main.dataset, {
      phase: shown.phase, coup: String(shown.coup), shoe: String(shown.shoe), events: String(shown.events),
      busy: String(state.dealing), connection: state.status, waits: state.clock?.waits_for ?? "nothing",
      betting: String(shown.betting), role: state.me?.role ?? "",
    });
    for (const each of parts) each.render(state);
  }

  if (!store.get().chip) {
    const least = Math.min(...facts.chances.filter((chance) => chance.simple).map((chance) => chance.least));
    const chips = [...facts.chips].sort((a, b) => a - b);
    store.set({ chip: chips.find((units) => units >= least) ?? chips.at(-1) ?? 0 }, "hand");
  }
  const removed = addKeys();
  // After a press of the mouse, enter and space deal again, and do not press the same button.
  const release = (/** @type {MouseEvent} */ event) => {
    if (event.detail > 0 && document.activeElement instanceof HTMLButtonElement) document.activeElement.blur();
  };
  main.addEventListener("click", release);
  const unsubscribe = store.subscribe((state, change) => {
    if (change.kind === "event" && change.event) flights.before(change.event);
    if (change.kind === "chips" || change.kind === "state") moving = moving && state.known.betting ? moving : "";
    render();
    status.hear(state, change);
  });
  const ticking = window.setInterval(() => {
    const { clock, line } = store.get();
    if (clock?.until || line.again) render();
  }, 250);
  render();

  function addKeys() {
    const chips = [...facts.chips].sort((a, b) => a - b);
    const face = new Map(chips.map((units) => [Math.round(units * Number(facts.unit) * 100) / 100, units]));
    const typed = digitReader([...face.keys()], (value) => store.set({ chip: face.get(value) ?? 0 }, "hand"));
    /** @param {number} by */
    const step = (by) => {
      const place = chips.indexOf(store.get().chip) + by;
      store.set({ chip: chips[Math.min(chips.length - 1, Math.max(0, place))] ?? 0 }, "hand");
    };
    const { say } = texts;
    let last = facts.chances[0]?.id ?? "";
    const undo = facts.chances.filter((chance) => chance.key).map((chance) => keys.add({
      key: chance.key,
      label: () => say("key.place", { chance: chance.name }),
      run: (event) => {
        last = chance.id;
        if (event.shiftKey) bets.takeOff(chance.id);
        else felt.touch(chance.id);
      },
    }));
    /** @type {[string, string, () => void][]} */
    const others = [
      ["Enter", "key.deal", go], [" ", "key.deal", go],
      ["u", "key.undo", bets.undo], ["x", "key.clear", bets.clear], ["p", "key.repeat", bets.repeat],
      ["d", "key.double", bets.double], ["+", "key.larger", () => step(1)], ["-", "key.smaller", () => step(-1)],
      ["=", "", () => step(1)], ["a", "key.insure", () => void insurance.toggle(insured(last))],
      ["Escape", "", () => (moving ? felt.move(moving) : store.skip())],
    ];
    for (const [key, label, run] of others) {
      undo.push(keys.add({ key, label: () => (label ? say(label) : ""), run }));
    }
    for (const digit of "0123456789.") undo.push(keys.add({ key: digit, label: () => (digit === "1" ? say("key.digits") : ""), run: () => typed(digit) }));
    return undo;
  }

  /** The chance that the key of insurance means: the last one, or the first that has a stake. @param {string} last */
  function insured(last) {
    const stakes = store.get().known.stakes.map((stake) => stake.chance);
    return stakes.includes(last) ? last : stakes[0] ?? last;
  }

  return () => {
    unsubscribe();
    drop();
    clearInterval(ticking);
    main.removeEventListener("click", release);
    for (const remove of removed) remove();
  };
}
