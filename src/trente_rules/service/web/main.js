/**
 * The page begins: who comes, to which table, in which language; then the lobby or the felt.
 */

import { forgetToken, keepTable, takeAccess } from "./access.js";
import { cardNode } from "./cards.js";
import { connect } from "./connection.js";
import { mountFelt, paceOf } from "./felt.js";
import { createKeys } from "./keys.js";
import { createMoney } from "./money.js";
import { ApiError, createApi } from "./panels/api.js";
import { guardLeaving, holdTable, mayLeave, sayTaken } from "./panels/leaving.js";
import { mountEntrance, mountLobby } from "./panels/lobby.js";
import { mountPanels } from "./panels/panels.js";
import { createSettings } from "./panels/settings.js";
import { createTexts, firstLanguage } from "./panels/texts.js";
import { createStore } from "./store.js";

/**
 * @import {EntryView, HouseFacts} from "./trente.js"
 * @import {Api, SettingsStore, Texts} from "./panels/types.js"
 * @import {Me} from "./store.js"
 */

const EARLIER = 500; // events in one answer, to have what a view does not

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

async function begin() {
  const access = takeAccess();
  const settings = createSettings();
  if (access.language && !settings.get().language) settings.set({ language: access.language });
  const api = createApi("", access.token);
  const texts = createTexts(api);
  await texts.load(firstLanguage(settings.get().language));
  if (!access.token) return enter(texts, "");
  try {
    const me = /** @type {Me} */ (await api.get("/api/me"));
    const visit = { api, texts, settings, me, token: access.token };
    if (access.table) await sit(visit, access.table);
    else lobby(visit);
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.status !== 401) throw error;
    forgetToken();
    enter(texts, texts.say("line.expired"));
  }
}

/** @typedef {{api: Api, texts: Texts, settings: SettingsStore, me: Me, token: string}} Visit */

/** Show one of the two faces of the page. @param {"lobby" | "page"} which */
function face(which) {
  element("lobby").hidden = which !== "lobby";
  element("page").hidden = which !== "page";
}

/** Ask for a token. @param {Texts} texts @param {string} refused */
function enter(texts, refused) {
  face("lobby");
  mountEntrance(element("lobby"), { texts, refused, enter: (token) => {
    location.hash = `token=${encodeURIComponent(token)}`;
    location.reload();
  } });
}

/** Show the tables. @param {Visit} visit */
function lobby(visit) {
  const { api, texts, settings } = visit;
  face("lobby");
  keepTable("");
  const stop = settings.subscribe((now, before) => {
    if (now.language !== before.language) void texts.load(firstLanguage(now.language));
  });
  const shown = mountLobby(element("lobby"), {
    api, texts, settings,
    open: (table) => {
      shown.stop();
      stop();
      void sit(visit, table);
    },
    leave: () => {
      forgetToken();
      location.reload();
    },
  });
}

/** Sit down at a table. @param {Visit} visit @param {string} table */
async function sit(visit, table) {
  const { api, texts, settings, me, token } = visit;
  const path = `/api/tables/${encodeURIComponent(table)}`;
  /** The house, under the title of this table where it has its own. @returns {Promise<HouseFacts>} */
  const houseOf = async () => {
    const house = api.get(`${path}/house?language=${encodeURIComponent(texts.language)}`);
    const [read, { summary }] = await Promise.all([house, api.get(path)]);
    return { ...read, title: summary.title || read.title };
  };
  /** @type {HouseFacts} */
  let facts;
  try {
    facts = await houseOf();
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.status === 401) throw error;
    return lobby(visit); // the table is not there any more, or not for this visitor
  }
  if (me.role === "player" && !(await holdTable(table, texts, () => void taken()))) return lobby(visit);
  keepTable(table);
  document.title = facts.title;
  face("page");

  const keys = createKeys();
  let money = createMoney(facts, texts.language);
  const store = createStore({
    pace: () => paceOf(settings),
    earlier: async (after) => {
      const page = await api.get(`${path}/events?after=${after}&limit=${EARLIER}`);
      return page.entries.flatMap((/** @type {EntryView} */ entry) => entry.events);
    },
  });
  store.set({ table, me, facts }, "facts");
  const connection = connect({
    table, token, language: texts.language,
    take: store.take,
    news: (line) => store.set({ line, status: line.status }, "status"),
    refusedBy: () => api.get(path).then(() => 200, (/** @type {unknown} */ error) =>
      (error instanceof ApiError ? error.problem.status : 0)),
  });
  const main = element("table");
  const mount = () => mountFelt(main, { store, connection, api, texts, settings, money, facts, keys, leave: () => void leave() });
  let unmount = mount();
  const live = {
    format: (/** @type {number} */ units) => money.format(units),
    signed: (/** @type {number} */ units) => money.signed(units),
    parse: (/** @type {string} */ text) => money.parse(text),
  };
  const context = {
    table, store, connection, api, texts, settings, keys, money: live, words: element("words"),
    card: cardNode,
  };
  const panels = mountPanels(element("panels"), context);
  const unguard = guardLeaving(store);

  /** Words and bounds have changed: draw with the new ones. */
  const renew = async () => {
    facts = await houseOf();
    document.title = facts.title;
    money = createMoney(facts, texts.language);
    store.set({ facts }, "facts");
    unmount();
    unmount = mount();
  };
  settings.subscribe((now, before) => {
    if (now.language === before.language) return;
    const language = firstLanguage(now.language);
    void texts.load(language).then(() => {
      connection.language(language);
      return renew();
    });
  });
  store.subscribe((_state, change) => {
    if (change.kind === "event" && change.event?.kind === "opening-posted") void renew();
  });

  async function leave() {
    if (!(await mayLeave(context))) return;
    unguard(); // it was asked about just now
    keepTable("");
    connection.close();
    panels.unmount();
    location.reload();
  }

  /** Another tab has the table now. */
  async function taken() {
    connection.close();
    store.set({ status: "elsewhere" }, "status");
    await sayTaken(texts);
    location.reload();
  }
}

// A link to a table that is opened where the page is already changes nothing but what is after `#`.
addEventListener("hashchange", () => {
  if (new URLSearchParams(location.hash.slice(1)).has("token")) location.reload();
});

begin().catch((error) => {
  // Without the service there are no texts either: what it said is all there is to show.
  face("lobby");
  element("lobby").textContent = error instanceof Error ? error.message : String(error);
});
