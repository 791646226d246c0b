/** Leaving with money on the table, and the same table in two tabs. */

/** @import {Context, Store, Texts} from "./types.js" */

import { ask, show } from "./dialog.js";
import { el } from "./dom.js";

/**
 * Return the units that the player has on the table while a shoe is open.
 * @param {Store} store
 */
export function staked(store) {
  const { shown, status } = store.get();
  if (status === "closed" || status === "elsewhere" || shown.left === null) return 0;
  return shown.stakes.reduce((sum, stake) => sum + stake.amount, 0);
}

/**
 * Have the browser ask before the page is left with stakes on the table.
 * @param {Store} store
 */
export function guardLeaving(store) {
  /** @param {BeforeUnloadEvent} event */
  function before(event) {
    if (staked(store) > 0) event.preventDefault();
  }
  addEventListener("beforeunload", before);
  return () => removeEventListener("beforeunload", before);
}

/**
 * Ask before the table is left for the lobby; true where it may be.
 * @param {Pick<Context, "store" | "texts" | "money">} context
 */
export async function mayLeave(context) {
  const { store, texts, money } = context;
  const amount = staked(store);
  if (!amount) return true;
  const said = await ask({
    title: texts.say("leave.title"),
    body: texts.say("leave.body", { amount: money.format(amount) }),
    name: "leave",
    actions: [
      { value: "stay", text: texts.say("leave.stay"), kind: "main" },
      { value: "leave", text: texts.say("leave.leave") },
    ],
  });
  return said === "leave";
}

/**
 * Hold a table for this tab; another tab that has it is asked about in words.
 *
 * Resolves to true once this tab has it, to false where the person leaves it to the other one.
 * `lost` is called where another tab takes it later: the page then closes its connection.
 * @param {string} table
 * @param {Texts} texts
 * @param {() => void} lost
 * @returns {Promise<boolean>}
 */
export async function holdTable(table, texts, lost) {
  if (!navigator.locks) return true;
  const name = `trente.table.${table}`;
  if (await locked(name, { ifAvailable: true }, lost)) return true;
  const said = await ask({
    title: texts.say("elsewhere.title"),
    body: texts.say("elsewhere.body"),
    name: "elsewhere",
    actions: [
      { value: "take", text: texts.say("elsewhere.take"), kind: "main" },
      { value: "", text: texts.say("elsewhere.other") },
    ],
  });
  return said === "take" && (await locked(name, { steal: true }, lost));
}

/**
 * Say that another tab has the table now; resolves once it shall be taken back.
 * @param {Texts} texts
 */
export async function sayTaken(texts) {
  const opened = show({
    title: texts.say("elsewhere.taken"),
    name: "elsewhere",
    firm: true,
  });
  const take = el(
    "button",
    { type: "button", class: "p-button p-main", onclick: () => opened.close("take") },
    texts.say("elsewhere.take"),
  );
  opened.content.append(el("div", { class: "p-actions" }, take));
  opened.dialog.addEventListener("cancel", (event) => event.preventDefault());
  take.focus();
  await opened.closed;
}

/**
 * Take a lock and keep it as long as the page is there.
 * @param {string} name
 * @param {LockOptions} options
 * @param {() => void} lost
 * @returns {Promise<boolean>}
 */
function locked(name, options, lost) {
  return new Promise((resolve) => {
    let had = false;
    navigator.locks
      .request(name, options, (lock) => {
        had = lock !== null;
        resolve(had);
        return had ? new Promise(() => {}) : undefined;
      })
      .catch(() => {
        if (had) lost();
        else resolve(false);
      });
  });
}
