/**
 * The state of the page: a fold of the service's messages, in two copies. `known` is what has
 * happened, `shown` what the player has been shown of it; they are equal when nothing is dealt.
 */

import { createDealing } from "./dealing.js";
import { afterEvent, afterMoney, emptyScene, isFree, sceneOf } from "./scene.js";

/**
 * @import {AnyEvent, ChanceChips, ClockMessage, EntryMessage, HouseFacts, Movement} from "./trente.js"
 * @import {ServerMessage, StateMessage} from "./trente.js"
 * @import {LineNews, LineStatus} from "./connection.js"
 * @import {Scene} from "./scene.js"
 * @import {Step} from "./dealing.js"
 */

/**
 * @typedef {object} Me
 * @property {string} name
 * @property {string} role
 * @property {string[]} tables
 */

/**
 * What a table waits for; `until` is a time of `performance.now()`, null where nobody hurries.
 * @typedef {{waits_for: ClockMessage["waits_for"], until: number | null, ready: number, players: number}} Clock
 */

/** @typedef {{amount: number, prisoners: number, players: number}} Others */

/**
 * @typedef {object} State
 * @property {string} table
 * @property {Me | null} me
 * @property {HouseFacts | null} facts
 * @property {ChanceChips[]} chips   of all players
 * @property {{[chance: string]: Others}} others  the same less those of this player
 * @property {Clock | null} clock
 * @property {LineStatus | "elsewhere"} status
 * @property {LineNews} line
 * @property {boolean} ready         this player has said so
 * @property {number} chip           units of the chip in hand
 * @property {Scene} known
 * @property {Scene} shown
 * @property {boolean} dealing       `shown` is behind `known`
 */

/**
 * @typedef {object} Change
 * @property {"state" | "event" | "said" | "money" | "chips" | "clock" | "status" | "facts" | "hand"
 *   | "dealing" | "shown" | "ask"} kind  `ask`: open the choices again
 * @property {AnyEvent} [event]
 * @property {string[]} [said]
 */

/**
 * @typedef {object} Store
 * @property {() => State} get
 * @property {(fn: (state: State, change: Change) => void) => () => void} subscribe
 * @property {(message: ServerMessage) => void} take
 * @property {(part: Partial<State>, kind: Change["kind"]) => void} set
 * @property {(change: Change) => void} tell
 * @property {() => boolean} skip    show all at once; whether there were cards to show
 */

/**
 * @typedef {object} Sources
 * @property {() => number} pace   milliseconds between two cards
 * @property {(after: number) => Promise<readonly AnyEvent[]>} earlier  the events since an index,
 *   for what a view does not have
 */

const EARLIER = 400; // events that reach back to the coup before, at a full table too

/**
 * Return the state of a page at a table.
 * @param {Sources} sources
 * @returns {Store}
 */
export function createStore(sources) {
  /** @type {State} */
  let state = {
    table: "", me: null, facts: null, chips: [], others: {}, clock: null, status: "connecting",
    line: { status: "connecting", reason: "connecting", again: 0 }, ready: false, chip: 0,
    known: emptyScene(), shown: emptyScene(), dealing: false,
  };
  /** @type {Set<(state: State, change: Change) => void>} */
  const listeners = new Set();
  /** @type {ServerMessage[] | null} messages that wait for the events before a state */
  let held = null;

  /** @param {Change} change */
  const tell = (change) => {
    for (const listener of [...listeners]) listener(state, change);
  };

  /** @param {Partial<State>} part @param {Change["kind"]} kind */
  const set = (part, kind) => {
    state = { ...state, ...part };
    tell({ kind });
  };

  const dealing = createDealing(sources.pace, (busy) => {
    if (busy && !state.dealing) set({ dealing: true }, "dealing");
    if (!busy) set({ dealing: false }, "shown");
  });

  /** @param {Scene} shown @param {Change} change */
  const show = (shown, change) => {
    state = { ...state, shown };
    tell(change);
  };

  /** @param {StateMessage} message */
  const begin = async (message) => {
    held = [];
    const { view } = message;
    const before = await sources.earlier(Math.max(-1, view.events - EARLIER)).catch(() => []);
    const scene = sceneOf(view, message.said ?? [], before.filter((event) => !("index" in event)
      || Number(event.index) < view.events));
    dealing.skip();
    state = { ...state, known: scene, shown: scene, ready: false };
    tell({ kind: "state" });
    tell({ kind: "shown" });
    const later = held;
    held = null;
    later.forEach(take);
  };

  /** @param {EntryMessage} message */
  const entry = (message) => {
    const { events, movements } = message.entry;
    let known = events.reduce(afterEvent, state.known);
    known = afterMoney(known, movements);
    if (message.entry.round !== known.round) known = { ...known, round: message.entry.round };
    state = { ...state, known };
    dealing.push(stepsOf(message));
  };

  /** @param {EntryMessage} message @returns {Step[]} */
  const stepsOf = ({ entry: { events, movements, round }, said }) => {
    /** @type {Step[]} */
    const steps = [];
    let rest = [...movements];
    /** @param {(each: Movement) => boolean} which */
    const taken = (which) => {
      const found = rest.filter(which);
      rest = rest.filter((each) => !which(each));
      return found;
    };
    events.forEach((event, place) => {
      const words = said?.[String(event.index)];
      // The money of a stake moves as it is settled, all else before the next bets are open.
      const moved = event.kind === "stake-settled" ? taken((each) => each.stake === event.line.stake.id)
        : event.kind === "bets-opened" || place === events.length - 1 ? taken(() => true) : [];
      steps.push({ kind: stepOf(event, events[place + 1]), show: () => {
        const scene = afterMoney(afterEvent(state.shown, event), moved);
        show(words ? { ...scene, said: [...scene.said, [...words]] } : scene, { kind: "event", event });
        if (words) tell({ kind: "said", said: [...words] });
      } });
    });
    if (rest.length > 0) {
      const moved = taken(() => true);
      steps.push({ kind: "money", show: () => show(afterMoney(state.shown, moved), { kind: "money" }) });
    }
    steps.push({ kind: "round", show: () => { state = { ...state, shown: { ...state.shown, round } }; } });
    return steps;
  };

  /** @param {ServerMessage} message */
  const take = (message) => {
    if (held) {
      // A second state starts over from itself.
      if (message.kind === "state") held = [];
      held.push(message);
      return;
    }
    switch (message.kind) {
      case "state":
        void begin(message);
        return;
      case "entry":
        entry(message);
        return;
      case "chips": {
        const chips = [...message.chances];
        dealing.push([{ kind: "chips", show: () => set({ chips, others: othersOf(chips, state) }, "chips") }]);
        return;
      }
      case "clock": {
        const { waits_for, left, ready, players } = message;
        const until = left === null ? null : performance.now() + left;
        const said = ready > 0 && waits_for === "bets" && state.ready;
        dealing.push([{ kind: "clock", show: () => {
          set({ clock: { waits_for, until, ready, players }, ready: said && state.ready }, "clock");
        } }]);
        return;
      }
      default:
        return;
    }
  };

  return {
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    take,
    set,
    tell,
    skip: dealing.skip,
  };
}

/** What lies on the chances beside the stakes that this page sees. @param {ChanceChips[]} chips @param {State} state */
function othersOf(chips, { shown }) {
  return Object.fromEntries(chips.map(({ chance, amount, prisoners, players }) => {
    const here = shown.stakes.filter((stake) => stake.chance === chance);
    const sum = (/** @type {boolean} */ free) => here.filter((stake) => isFree(stake) === free)
      .reduce((total, stake) => total + stake.amount, 0);
    return [chance, {
      amount: Math.max(0, amount - sum(true)),
      prisoners: Math.max(0, prisoners - sum(false)),
      players: Math.max(0, players - (here.length > 0 ? 1 : 0)),
    }];
  }));
}

/**
 * Return how a step is looked at: what a stake met is seen longer than that it was returned.
 * @param {AnyEvent} event
 * @param {AnyEvent | undefined} next
 * @returns {string}
 */
function stepOf(event, next) {
  if (event.kind === "stake-settled") {
    if (event.line.won > 0) return "paid";
    return event.line.after ? "held" : "taken";
  }
  // The croupier rests for a moment after a row.
  const last = event.kind === "card-turned" && next && next.kind !== "card-turned";
  return last ? "row-complete" : event.kind;
}
