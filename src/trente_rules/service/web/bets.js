/**
 * What a player does with chips: place, take off, undo, clear, repeat, double, insure. Each is a
 * command of the wire contract; what the house does not take is refused by the service.
 */

import { ApiError } from "./panels/api.js";
import { newId, Refused } from "./connection.js";
import { isFree } from "./scene.js";

/**
 * @import {EntryView, Stake} from "./trente.js"
 * @import {Connection, Wanted} from "./connection.js"
 * @import {Api} from "./panels/types.js"
 * @import {Store} from "./store.js"
 */

/** What was done on a chance: units more, or fewer; or that it was insured. @typedef {{chance: string, units: number, insured: boolean}} Deed */

/**
 * @typedef {object} Bets
 * @property {(chance: string, units?: number) => void} place
 * @property {(chance: string, units?: number) => void} takeOff
 * @property {() => void} undo
 * @property {() => void} clear
 * @property {() => void} repeat
 * @property {() => void} double
 * @property {(stake: Stake) => void} insure
 * @property {(stake: Stake) => void} uninsure
 * @property {(stake: Stake) => Promise<number | null>} premium  what insuring it costs now, null
 *   where it cannot be insured
 * @property {(stake: string, chance: string) => void} move
 * @property {() => boolean} undoable
 */

/**
 * Return what a player does at a table.
 * @param {{store: Store, connection: Connection, api: Api, table: string,
 *   refuse: (code: string, values?: {[name: string]: unknown}, title?: string) => void}} felt
 * @returns {Bets}
 */
export function createBets({ store, connection, api, table, refuse }) {
  /** @type {Deed[][]} */
  let deeds = [];
  /** @type {Map<string, string>} ids of stakes that are placed, but not confirmed, by chance */
  const coming = new Map();
  /** @type {Map<string, Promise<number | null>>} */
  const prices = new Map();

  store.subscribe((state, change) => {
    if (change.kind === "event" && change.event?.kind === "stake-placed") {
      const { chance, id } = change.event.stake;
      if (coming.get(chance) === id) coming.delete(chance);
    }
    if (change.kind === "state" || (change.kind === "event" && change.event?.kind === "bets-closed")) {
      deeds = [];
      coming.clear();
      prices.clear();
      if (change.kind === "state") store.tell({ kind: "hand" });
    }
  });

  /** @param {string} chance @returns {Stake | undefined} */
  const freeOn = (chance) => store.get().known.stakes.findLast((each) => each.chance === chance && isFree(each));

  /** @param {unknown} error */
  const complain = (error) => {
    if (error instanceof Refused || error instanceof ApiError) {
      const { code, values, title } = error.problem;
      refuse(code, values, title);
    }
  };

  /** @returns {{player: string, round: string}} */
  const mine = () => ({ player: store.get().me?.name ?? "", round: store.get().known.round });

  /** Give commands: one on the line, several together, all or none. @param {Wanted[]} commands */
  const give = async (commands) => {
    const [first, ...more] = commands;
    if (!first) return;
    if (more.length === 0) await connection.send(first);
    else {
      const body = commands.map((command) => ({ ...command, id: newId() }));
      await api.post(`/api/tables/${encodeURIComponent(table)}/commands`, body);
    }
  };

  /** @param {Wanted[]} commands @param {Deed[] | null} done */
  const act = (commands, done) => {
    if (done) {
      deeds.push(done);
      store.tell({ kind: "hand" });
    }
    give(commands).catch((error) => {
      if (done) deeds = deeds.filter((each) => each !== done);
      store.tell({ kind: "hand" });
      complain(error);
    });
  };

  const open = () => {
    if (store.get().known.betting) return true;
    refuse("bets-closed");
    return false;
  };

  /**
   * Return the command that puts units on a chance: more on the stake there, or a new one.
   * @param {string} chance @param {number} units @param {boolean} insured @returns {Wanted}
   */
  const more = (chance, units, insured) => {
    const stake = freeOn(chance)?.id ?? coming.get(chance);
    if (stake) return { kind: "increase", ...mine(), stake, amount: units };
    const id = newId();
    coming.set(chance, id);
    return { kind: "place", ...mine(), stake: id, chance, amount: units, insured };
  };

  /** @param {string} chance @param {number} units @returns {Wanted | null} */
  const less = (chance, units) => {
    const stake = freeOn(chance);
    if (!stake) return null;
    const whole = units >= stake.amount;
    return { kind: "withdraw", ...mine(), stake: stake.id, amount: whole ? null : units };
  };

  /** Free stakes and those that come; an id that is known is not coming any more. */
  const settle = () => {
    for (const [chance, id] of coming) {
      if (store.get().known.stakes.some((each) => each.id === id)) coming.delete(chance);
    }
  };

  /** @type {Bets["place"]} */
  const place = (chance, units = store.get().chip) => {
    settle();
    if (!open()) return;
    if (!units) return refuse("no-chip");
    const command = more(chance, units, false);
    const done = [{ chance, units, insured: false }];
    deeds.push(done);
    store.tell({ kind: "hand" });
    give([command]).catch((error) => {
      deeds = deeds.filter((each) => each !== done);
      if (command.kind === "place") coming.delete(chance);
      store.tell({ kind: "hand" });
      complain(error);
    });
  };

  /** @type {Bets["takeOff"]} */
  const takeOff = (chance, units = store.get().chip) => {
    if (!open()) return;
    const stake = freeOn(chance);
    if (!stake) return;
    const least = store.get().facts?.chances.find((each) => each.id === chance)?.least ?? 0;
    // What would be left below the minimum is taken off with the rest.
    const taken = stake.amount - units < least ? stake.amount : units;
    const command = less(chance, taken);
    if (command) act([command], [{ chance, units: -taken, insured: stake.insured }]);
  };

  const undo = () => {
    if (!open()) return;
    const last = deeds.pop();
    if (!last) return refuse("nothing-to-undo");
    settle();
    /** @type {Wanted[]} */
    const commands = [];
    for (const { chance, units, insured } of last.toReversed()) {
      if (units === 0) commands.push(...bare(chance));
      else {
        const command = units > 0 ? less(chance, units) : more(chance, -units, insured);
        if (command) commands.push(command);
      }
    }
    store.tell({ kind: "hand" });
    act(commands, null);
  };

  /** Take an insurance back: the stake is taken off and placed again. @param {string} chance @returns {Wanted[]} */
  const bare = (chance) => {
    const stake = freeOn(chance);
    if (!stake) return [];
    return [
      { kind: "withdraw", ...mine(), stake: stake.id, amount: null },
      { kind: "place", ...mine(), stake: newId(), chance, amount: stake.amount, insured: false },
    ];
  };

  const clear = () => {
    if (!open()) return;
    const stakes = store.get().known.stakes.filter(isFree);
    if (stakes.length === 0) return refuse("nothing-to-clear");
    act(stakes.map((stake) => ({ kind: "withdraw", ...mine(), stake: stake.id, amount: null })),
      stakes.map(({ chance, amount, insured }) => ({ chance, units: -amount, insured })));
  };

  const repeat = () => {
    if (!open()) return;
    settle();
    const taken = new Set(store.get().known.stakes.filter(isFree).map(({ chance }) => chance));
    const bets = store.get().known.repeat.filter(({ chance }) => !taken.has(chance));
    if (bets.length === 0) return refuse("nothing-to-repeat");
    const { player, round } = mine();
    act([{ kind: "slip", player, round, bets: bets.map((bet) => ({ stake: newId(), ...bet })) }],
      bets.map(({ chance, amount, insured }) => ({ chance, units: amount, insured })));
  };

  const double = () => {
    if (!open()) return;
    const stakes = store.get().known.stakes.filter(isFree);
    if (stakes.length === 0) return refuse("nothing-to-double");
    act(stakes.map((stake) => ({ kind: "increase", ...mine(), stake: stake.id, amount: stake.amount })),
      stakes.map(({ chance, amount, insured }) => ({ chance, units: amount, insured })));
  };

  /** @type {Bets["premium"]} */
  const premium = (stake) => {
    const key = `${stake.id} ${stake.amount} ${stake.state}`;
    const known = prices.get(key);
    if (known) return known;
    if (!store.get().known.betting) return Promise.resolve(null);
    const command = { kind: "insure", id: newId(), ...mine(), stake: stake.id };
    const asked = api.post(`/api/tables/${encodeURIComponent(table)}/preview`, command)
      .then((/** @type {EntryView} */ entry) => {
        const event = entry.events.find((each) => each.kind === "stake-insured");
        return event?.kind === "stake-insured" ? event.premium : null;
      })
      .catch(() => {
        prices.delete(key);
        return null;
      });
    prices.set(key, asked);
    return asked;
  };

  return {
    place, takeOff, undo, clear, repeat, double, premium,
    insure: (stake) => act([{ kind: "insure", ...mine(), stake: stake.id }],
      isFree(stake) ? [{ chance: stake.chance, units: 0, insured: true }] : null),
    uninsure: (stake) => act(bare(stake.chance), null),
    move: (stake, chance) => act([{ kind: "move-prisoner", ...mine(), stake, chance }], null),
    undoable: () => deeds.length > 0,
  };
}
