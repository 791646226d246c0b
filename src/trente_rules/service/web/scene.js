/**
 * What lies on the table, as a fold of the service's messages. It adds no rule of the game: every
 * amount, verdict and total is the one that a message names.
 */

/**
 * @import {AnyEvent, Card, Choice, ChoiceOffered, Line, Movement, Stake, TableView} from "./trente.js"
 */

/**
 * @typedef {object} LastCoup
 * @property {string} round    SESSION/SHOE/COUP
 * @property {number} number
 * @property {{[chance: string]: string}} verdicts
 * @property {{first: number, second: number}} totals
 * @property {number} net      of the viewer
 * @property {boolean} staked  whether the viewer had a stake in it
 * @property {boolean} void
 */

/**
 * A stake that was placed freely, to be placed again.
 * @typedef {{chance: string, amount: number, insured: boolean}} Bet
 */

/**
 * @typedef {object} Scene
 * @property {string} phase       of the last event; at the beginning that of the view
 * @property {boolean} betting    stakes may be placed
 * @property {string} round       SESSION/SHOE/COUP
 * @property {number} shoe
 * @property {number} coup
 * @property {number} events      the index of the next event
 * @property {number | null} left cards in the shoe
 * @property {number} out         cards dealt from it and burned
 * @property {boolean} live
 * @property {string} firstRow    the colour of the first row, where the cut decided it
 * @property {{first: Card[], second: Card[]}} rows
 * @property {{first: number, second: number}} totals
 * @property {boolean} stale      the rows are those of the coup before
 * @property {{[chance: string]: string}} verdicts
 * @property {Stake[]} stakes
 * @property {{[stake: string]: number}} premiums
 * @property {Choice[]} choices
 * @property {ChoiceOffered[]} offers
 * @property {Line[]} lines       settled in this coup
 * @property {number | null} account
 * @property {number | null} purse
 * @property {boolean} markerShown
 * @property {boolean} lastCoup
 * @property {number | null} cut     where the shoe was cut
 * @property {number | null} marker  before the last so many cards
 * @property {string[][]} said    calls of the coup: the house's words, and those of the page
 * @property {LastCoup | null} last
 * @property {Bet[]} bets         those of the coup that is on, as they were when bets closed
 * @property {Bet[]} repeat       those of the coup before
 * @property {string} correcting  the round of an earlier coup that is being corrected, "" for none
 */

/** @type {{[kind: string]: string}} the phase that an event leaves the table in */
const PHASES = {
  "shoe-opened": "cut",
  "cut-made": "ready",
  burned: "ready",
  "marker-placed": "ready",
  "bets-opened": "betting",
  "bets-closed": "closed",
  "card-turned": "dealing",
  "coup-dealt": "dealt",
  "coup-settled": "ready",
  "coup-voided": "ready",
  "shoe-ended": "no-shoe",
  "session-closed": "ended",
};

/** @param {string} round @returns {{shoe: number, coup: number}} */
function counted(round) {
  const [, shoe, coup] = round.split("/");
  return { shoe: Number(shoe ?? 0), coup: Number(coup ?? 0) };
}

/** Return a table on which nothing lies yet. @returns {Scene} */
export function emptyScene() {
  return {
    phase: "no-shoe", betting: false, round: "", shoe: 0, coup: 0, events: 0, left: null, out: 0,
    live: false, firstRow: "", rows: { first: [], second: [] }, totals: { first: 0, second: 0 },
    stale: false, verdicts: {}, stakes: [], premiums: {}, choices: [], offers: [], lines: [],
    account: null, purse: null, markerShown: false, lastCoup: false, cut: null, marker: null,
    said: [], last: null, bets: [], repeat: [], correcting: "",
  };
}

/**
 * Return the table of a view; what no view has (totals, premiums, the last coup) comes from the
 * events before it.
 * @param {TableView} view
 * @param {readonly (readonly string[])[]} said
 * @param {readonly AnyEvent[]} before
 * @returns {Scene}
 */
export function sceneOf(view, said, before) {
  const earlier = before.reduce(afterEvent, { ...emptyScene(), account: 0 });
  const cards = view.cards;
  const complete = view.first_cards || cards.length;
  const same = earlier.rows.first.length + earlier.rows.second.length === cards.length;
  const stale = cards.length === 0 && earlier.rows.first.length > 0;
  return {
    ...emptyScene(),
    ...counted(view.round),
    phase: view.phase,
    betting: view.phase === "betting",
    round: view.round,
    events: view.events,
    left: view.left,
    out: earlier.out,
    live: view.live,
    firstRow: view.first_row,
    rows: stale ? earlier.rows : { first: cards.slice(0, complete), second: cards.slice(complete) },
    totals: same || stale ? earlier.totals : { first: 0, second: 0 },
    stale,
    verdicts: stale ? earlier.verdicts : Object.fromEntries(view.verdicts),
    stakes: [...view.stakes],
    premiums: earlier.premiums,
    choices: [...view.choices],
    offers: [...view.offers],
    account: view.account,
    purse: view.purse,
    markerShown: view.marker_shown,
    lastCoup: earlier.lastCoup,
    cut: earlier.cut,
    marker: earlier.marker,
    said: said.map((each) => [...each]),
    last: earlier.last,
    bets: earlier.bets,
    repeat: earlier.repeat,
  };
}

/** @param {Stake} stake */
export const isFree = (stake) => stake.state === "free";

/** @param {Scene} scene @param {Stake} stake @returns {Scene} */
function withStake(scene, stake) {
  const known = scene.stakes.some((each) => each.id === stake.id);
  const stakes = known
    ? scene.stakes.map((each) => (each.id === stake.id ? stake : each))
    : [...scene.stakes, stake];
  return { ...scene, stakes };
}

/** @param {Scene} scene @param {string} id @returns {Scene} */
function withoutStake(scene, id) {
  return { ...scene, stakes: scene.stakes.filter((each) => each.id !== id) };
}

/** @param {Scene} scene @param {string} id @param {number} units @returns {Scene} */
function withPremium(scene, id, units) {
  const premium = Math.max(0, (scene.premiums[id] ?? 0) + units);
  return { ...scene, premiums: { ...scene.premiums, [id]: premium } };
}

/** @param {Scene} scene @param {Line} line @returns {Scene} */
function afterLine(scene, line) {
  const rest = withoutStake(scene, line.stake.id);
  return line.after ? withStake(rest, line.after) : rest;
}

/** The net result of a line: what came on top, less what was lost. @param {Line} line */
export const netOf = (line) => line.won - line.forfeited - line.premium_kept;

/**
 * Return the table after an event.
 * @param {Scene} scene
 * @param {AnyEvent} event
 * @returns {Scene}
 */
export function afterEvent(scene, event) {
  const index = "index" in event ? Number(event.index) + 1 : scene.events;
  const round = "round" in event ? String(event.round) : scene.round;
  const events = Math.max(scene.events, index);
  // All that a correction of an earlier coup says comes under the round of that coup.
  const begins = event.kind === "coup-corrected" && isEarlier(round, scene.round);
  const correcting = begins || scene.correcting === round ? round : "";
  if (correcting) return corrected({ ...scene, events, correcting }, event);
  const phase = PHASES[event.kind] ?? scene.phase;
  const next = { ...scene, events, phase, correcting };
  return changed(round ? { ...next, ...counted(round), round } : next, event);
}

/** Whether a round was before another one of its session. @param {string} one @param {string} other */
function isEarlier(one, other) {
  const [a, b] = [counted(one), counted(other)];
  return a.shoe < b.shoe || (a.shoe === b.shoe && a.coup < b.coup);
}

/**
 * Return the table after an event of an earlier coup: a correction. Of the table now it changes the
 * stakes that it names, and the result of the coup before where that is still shown.
 * @param {Scene} scene @param {AnyEvent} event @returns {Scene}
 */
function corrected(scene, event) {
  if (event.kind === "stake-corrected") return changed(scene, event);
  const { last } = scene;
  if (!last || !("round" in event) || String(event.round) !== last.round) return scene;
  switch (event.kind) {
    case "coup-corrected":
      return { ...scene, last: { ...last, net: 0, staked: false, void: false } };
    case "coup-dealt": {
      const verdicts = Object.fromEntries(event.verdicts);
      const seen = dealt({ ...scene, verdicts }, event.coup);
      const result = { ...last, verdicts, totals: seen.totals };
      return scene.stale ? { ...seen, last: result } : { ...scene, last: result };
    }
    case "stake-settled":
      return { ...scene, last: { ...last, net: last.net + netOf(event.line), staked: true } };
    case "coup-voided":
      return { ...scene, verdicts: scene.stale ? {} : scene.verdicts, last: { ...last, void: true } };
    default:
      return scene;
  }
}

/** Return the table with the rows of a coup, where a correction found others. @param {Scene} scene @param {string} coup @returns {Scene} */
function dealt(scene, coup) {
  const [first = [], second = []] = coup.split(" / ").map((row) => row.split(" "));
  if (String([...first, ...second]) === String([...scene.rows.first, ...scene.rows.second])) return scene;
  return { ...scene, rows: { first, second }, totals: { first: pointsOf(first), second: pointsOf(second) } };
}

/**
 * Return what cards count, where no event says it: an ace 1, pictures 10.
 * @param {readonly Card[]} cards
 */
export function pointsOf(cards) {
  const count = (/** @type {string} */ rank) => (rank === "A" ? 1 : "JQK".includes(rank) ? 10 : Number(rank));
  return cards.reduce((sum, card) => sum + count(card.slice(0, -1)), 0);
}

/** @param {Scene} scene @param {AnyEvent} event @returns {Scene} */
function changed(scene, event) {
  switch (event.kind) {
    case "shoe-opened":
      return {
        ...scene, left: event.packs * 52, out: 0, live: event.live, firstRow: "", cut: null,
        marker: null, markerShown: false, lastCoup: false, stale: true, said: [],
      };
    case "cut-made":
      return { ...scene, cut: event.place, firstRow: event.first_row };
    case "burned":
      return drawn(scene, event.count);
    case "marker-placed":
      return { ...scene, marker: event.from_end };
    case "bets-opened":
      return {
        ...scene, betting: true, stale: true, lines: [], offers: [], choices: [], said: [],
        premiums: {}, repeat: scene.bets.length ? scene.bets : scene.repeat, bets: [],
      };
    case "stake-placed":
    case "stake-insured":
      return withPremium(withStake(scene, event.stake), event.stake.id, event.premium);
    case "stake-increased":
      return withPremium(withStake(scene, event.stake), event.stake.id, event.premium);
    case "stake-withdrawn": {
      const less = withPremium(scene, event.stake.id, -event.premium);
      return event.left === 0 ? withoutStake(less, event.stake.id)
        : withStake(less, { ...event.stake, amount: event.left });
    }
    case "prisoner-moved":
      return withStake(scene, event.stake);
    case "bets-closed":
      return { ...scene, betting: false, ...cleared(), bets: betsOf(scene) };
    case "card-turned": {
      const base = scene.stale ? { ...scene, ...cleared() } : scene;
      const rows = { ...base.rows, [event.row]: [...base.rows[event.row], event.card] };
      return drawn({ ...base, rows, totals: { ...base.totals, [event.row]: event.total } }, 1);
    }
    case "card-burned":
      return drawn(scene, 1);
    case "cards-retracted":
      return retracted(scene, event);
    case "marker-shown":
      return { ...scene, markerShown: true, lastCoup: event.last };
    case "coup-dealt":
      return dealt({ ...scene, verdicts: Object.fromEntries(event.verdicts) }, event.coup);
    case "choice-offered":
      return {
        ...scene,
        offers: [...scene.offers.filter((each) => each.stake.id !== event.stake.id), event],
      };
    case "choice-made": {
      const { stake, course, state, verdict } = event;
      const others = scene.choices.filter((each) => each.stake !== stake);
      return { ...scene, choices: [...others, { stake, course, state, verdict }] };
    }
    case "choice-dropped":
      return { ...scene, choices: scene.choices.filter((each) => each.stake !== event.stake) };
    case "stake-settled":
      return afterLine({ ...scene, lines: [...scene.lines, event.line] }, event.line);
    case "coup-settled":
      return { ...scene, betting: false, offers: [], choices: [], last: over(scene, event.number) };
    case "coup-voided": {
      const rest = event.lines.reduce(afterLine, scene);
      const last = { ...over({ ...rest, lines: [] }, event.number), void: true };
      return { ...rest, betting: false, offers: [], choices: [], verdicts: {}, last };
    }
    case "coup-corrected":
      return event.number === scene.coup ? { ...scene, lines: [] } : scene;
    case "stake-corrected": {
      const rest = event.was ? withoutStake(scene, event.was.id) : scene;
      return event.now ? withStake(rest, event.now) : rest;
    }
    case "bought-in":
    case "cashed-out":
      return { ...scene, purse: event.purse };
    case "shoe-ended":
      return { ...scene, betting: false, left: event.left };
    case "session-closed":
      return { ...scene, betting: false, stakes: [], offers: [] };
    default:
      return scene;
  }
}

/** @returns {Pick<Scene, "rows" | "totals" | "verdicts" | "stale">} */
function cleared() {
  return {
    rows: { first: [], second: [] }, totals: { first: 0, second: 0 }, verdicts: {}, stale: false,
  };
}

/** @param {Scene} scene @param {number} count @returns {Scene} */
function drawn(scene, count) {
  const left = scene.left === null ? null : Math.max(0, scene.left - count);
  return { ...scene, left, out: scene.out + count };
}

/** @param {Scene} scene @param {number} number @returns {LastCoup} */
function over(scene, number) {
  return {
    round: scene.round,
    number,
    verdicts: scene.verdicts,
    totals: scene.totals,
    net: scene.lines.reduce((sum, line) => sum + netOf(line), 0),
    staked: scene.lines.length > 0,
    void: false,
  };
}

/** @param {Scene} scene @returns {Bet[]} */
function betsOf(scene) {
  return scene.stakes.filter(isFree)
    .map(({ chance, amount, insured }) => ({ chance, amount, insured }));
}

/**
 * @param {Scene} scene
 * @param {import("./trente.js").CardsRetracted} event
 * @returns {Scene}
 */
function retracted(scene, event) {
  const back = drawn(scene, -event.cards.length);
  if (event.exposed) return back;
  const cards = [...scene.rows.first, ...scene.rows.second].slice(0, -event.cards.length);
  const first = event.row === "first" ? cards.length : scene.rows.first.length;
  return {
    ...back,
    phase: "dealing",
    verdicts: {},
    offers: [],
    rows: { first: cards.slice(0, first), second: cards.slice(first) },
    totals: {
      first: event.row === "first" ? event.total : scene.totals.first,
      second: event.row === "second" ? event.total : 0,
    },
  };
}

/** What fills or empties a purse is no result: its event names the purse. */
const OF_PURSE = new Set(["bought-in", "cashed-out"]);

/**
 * Return the table after money has moved.
 * @param {Scene} scene
 * @param {readonly Movement[]} movements of the viewer
 * @returns {Scene}
 */
export function afterMoney(scene, movements) {
  const won = movements.reduce((sum, each) => sum + (OF_PURSE.has(each.reason) ? 0 : each.units), 0);
  return {
    ...scene,
    account: scene.account === null ? null : scene.account + won,
    purse: scene.purse === null ? null : scene.purse + won,
  };
}
