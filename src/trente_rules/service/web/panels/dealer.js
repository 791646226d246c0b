/** The dealer's page: cards in, calls, bets, settlement, and what has to be put right. */

/** @import {AnyCommand, DealerReading, HouseFacts, Stake, TableNow, TableSummary} from "../trente.js" */
/** @import {Desk} from "./staff.js" */
/** @import {Money} from "./types.js" */

import { connect, newId } from "../connection.js";
import { createMoney } from "../money.js";
import { why } from "./api.js";
import { cardGrid, cardsOf } from "./cards_entry.js";
import { ACTIONS, openAction } from "./dealing_actions.js";
import { el, fill, grid } from "./dom.js";
import { chanceName, face } from "./faces.js";
import { begin, createNotice, remember, tableField } from "./staff.js";

/**
 * @typedef {object} Dealt what the page knows of its table
 * @property {TableSummary} summary
 * @property {TableNow["view"]} view
 * @property {DealerReading} reading
 * @property {HouseFacts} facts
 * @property {Money} money
 */

/** @param {Desk} desk */
function page(desk) {
  const { api, texts, main, head } = desk;
  /** @type {(() => void) | null} */
  let leave = null;

  /** @param {string} table */
  async function choose(table) {
    leave?.();
    leave = null;
    try {
      const tables = /** @type {TableSummary[]} */ (await api.get("/api/tables"));
      const only = table || (tables.length === 1 ? (tables[0]?.table ?? "") : "");
      const there = tables.some((each) => each.table === only) ? only : "";
      fill(head, tableField(desk, tables, there, (chosen) => void choose(chosen)));
      if (!there) {
        fill(main, el("p", { class: "p-lead" }, texts.say("dealer.no_table")));
        return;
      }
      remember(there);
      leave = deal(desk, there);
    } catch (error) {
      fill(main, el("p", { role: "alert" }, texts.say("common.failed", { reason: why(error, texts) })));
    }
  }

  void choose(desk.table);
  return () => leave?.();
}

/**
 * Deal at a table; returns what stops it.
 * @param {Desk} desk
 * @param {string} table
 */
function deal(desk, table) {
  const { api, texts, main } = desk;
  const path = `/api/tables/${encodeURIComponent(table)}`;
  const notice = createNotice();
  /** @type {Dealt | null} */
  let now = null;
  /** @type {HouseFacts | null} */
  let facts = null;
  let pending = false;
  let turns = 0; // cards that are on their way
  /** @type {number | undefined} */
  let soon;

  const status = el("div", { class: "p-dealer-status" });
  const rows = el("div", { class: "p-dealer-rows" });
  const actions = el("div", { class: "p-dealer-actions" });
  const stakes = el("section", { class: "p-sheet-card" });
  const coups = el("section", { class: "p-sheet-card" });
  const calls = el("section", { class: "p-sheet-card" });
  const entry = el("input", {
    type: "text",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    id: "card-entry",
    "aria-describedby": "card-entry-note",
    data: { input: "card" },
  });
  const turn = el("button", { type: "submit", class: "p-button p-main", data: { do: "turn" } }, texts.say("dealer.turn_card"));
  const entering = el(
    "form",
    {
      class: "p-sheet-card p-entering",
      onsubmit(/** @type {SubmitEvent} */ event) {
        event.preventDefault();
        void turned(entry.value);
      },
    },
    el("label", { for: "card-entry", class: "p-entering-label" }, texts.say("dealer.enter")),
    el("div", { class: "p-entering-row" }, entry, turn),
    el("p", { class: "p-note", id: "card-entry-note" }, texts.say("dealer.enter_note")),
  );
  const deck = el(
    "details",
    { class: "p-sheet-card p-deck-place", open: matchMedia("(min-width: 700px)").matches },
    el("summary", {}, texts.say("dealer.grid")),
    cardGrid((card) => texts.say("dealer.turn", { card }), (card) => void turned(card)),
  );
  fill(
    main,
    el(
      "div",
      { class: "p-dealer", data: { table } },
      el("div", { class: "p-dealer-felt" }, status, rows),
      entering,
      notice.element,
      actions,
      deck,
      el("div", { class: "p-dealer-side" }, stakes, calls, coups),
    ),
  );

  /** @param {string} text */
  async function turned(text) {
    const { cards, bad } = cardsOf(text);
    if (bad || !cards.length) {
      notice.refused(texts.say("dealer.unread", { text: bad || text }));
      return;
    }
    // Cleared at once: a reader types the next card while this one is on its way.
    entry.value = "";
    entry.focus();
    const done = await turning(cards);
    if (!done && !entry.value) entry.value = text;
  }

  let before = Promise.resolve(true);

  /**
   * Turn cards after those that are on their way; once one is refused, those behind it are not given.
   * @param {readonly string[]} cards
   */
  function turning(cards) {
    const given = async () => give(cards.map((card) => ({ kind: "turn", card })), cards.join(" "));
    turns += 1;
    const waited = turns > 1 ? before.then((done) => done && given()) : given();
    before = waited.finally(() => {
      turns -= 1;
    });
    return waited;
  }

  /**
   * Give commands; false where they were refused.
   * @param {readonly ({kind: AnyCommand["kind"]} & {[field: string]: unknown})[]} commands
   * @param {string} said
   */
  async function give(commands, said) {
    if (pending) return false;
    pending = true;
    draw();
    try {
      const written = commands.map((command) => ({ id: newId(), ...command }));
      await api.post(`${path}/commands`, written.length === 1 ? written[0] : written);
      notice.done(texts.say("dealer.done", { what: said }));
      return true;
    } catch (error) {
      notice.refused(texts.say("dealer.refused", { reason: why(error, texts) }));
      return false;
    } finally {
      pending = false;
      await read();
    }
  }

  async function openShoe() {
    if (pending) return;
    pending = true;
    try {
      await api.post(`${path}/shoe`, { id: newId() });
      notice.done(texts.say("dealer.done", { what: texts.say("dealer.open_shoe") }));
    } catch (error) {
      notice.refused(texts.say("dealer.refused", { reason: why(error, texts) }));
    } finally {
      pending = false;
      await read();
    }
  }

  async function read() {
    try {
      facts ??= await api.get(`${path}/house?language=${texts.language}`);
      const [{ summary, view }, reading] = await Promise.all([
        api.get(path),
        api.get(`${path}/dealer?language=${texts.language}`),
      ]);
      now = { summary, view, reading, facts: /** @type {HouseFacts} */ (facts), money: createMoney(summary, texts.language) };
      draw();
    } catch (error) {
      notice.refused(texts.say("common.failed", { reason: why(error, texts) }));
    }
  }

  function draw() {
    if (!now) return;
    const { summary, view, reading, money } = now;
    const may = new Set([...view.allowed, ...reading.allowed]);
    if (view.phase === "no-shoe" || view.phase === "ended") may.add("open-shoe");
    if (pending || summary.closed) may.clear();
    main.dataset["phase"] = view.phase;
    main.dataset["events"] = String(view.events);
    const [, shoe = 0, coup = 0] = view.round.split("/");
    const said = reading.said.at(-1);
    fill(
      status,
      el("p", { class: "p-dealer-where" }, texts.say("common.coup_of", { shoe, coup })),
      el("p", { class: "p-dealer-phase" }, texts.phase(view.phase)),
      reading.left === null ? null : el("p", { class: "p-dealer-left" }, `${texts.say("figures.cards_left")} ${reading.left}`),
      reading.marker_shown ? el("p", { class: "p-dealer-left" }, texts.say("dealer.show_marker")) : null,
      el(
        "p",
        { class: "p-dealer-said", "aria-live": "polite" },
        el("strong", { lang: facts?.language ?? null }, said?.[0] || "\u00a0"),
        said?.[1] && said[1] !== said[0] ? el("span", {}, said[1]) : null,
      ),
      summary.dealt_by === "service" ? el("p", { class: "p-dealer-left" }, texts.say("lobby.service")) : null,
    );
    fill(rows, ...drawRows(reading));
    const focus = document.activeElement?.getAttribute("data-do");
    const next = ACTIONS.find((action) => action.next && may.has(action.kind));
    fill(
      actions,
      ACTIONS.filter((action) => (action.live ?? view.live) === view.live).map((action) =>
        el(
          "button",
          {
            type: "button",
            class: `p-button ${action === next ? "p-main" : ""} ${action.grave ? "p-danger" : ""}`,
            disabled: !may.has(action.kind),
            data: { do: action.name },
            onclick() {
              if (action.kind === "open-shoe") void openShoe();
              else if (now) openAction(desk, action, now, give);
            },
          },
          texts.say(`dealer.${action.key}`),
        ),
      ),
    );
    if (focus) /** @type {HTMLElement | null} */ (actions.querySelector(`[data-do="${focus}"]:not(:disabled)`))?.focus();
    entering.hidden = deck.hidden = !view.live;
    turn.disabled = !turns && !may.has("turn");
    for (const card of deck.querySelectorAll(".p-deck-card")) /** @type {HTMLButtonElement} */ (card).disabled = !may.has("turn");
    fill(stakes, ...drawStakes(view.stakes, reading, money));
    fill(calls, ...drawCalls(may.has("announce")));
    fill(coups, ...drawCoups());
  }

  /** @param {DealerReading} reading */
  function drawRows(reading) {
    // Between two coups the last one is still read off the cloth.
    const last = reading.first.cards.length || reading.next_row ? null : reading.coups.at(-1);
    return /** @type {const} */ (["first", "second"]).map((name) => {
      const row = last?.[name] ?? reading[name];
      const next = reading.next_row === name;
      const total = row.point ?? (next ? reading.total : null);
      return el(
        "div",
        { class: `p-dealer-row ${row.colour}${next ? " next" : ""}${last ? " last" : ""}`, data: { row: name, total: total ?? "" } },
        el("h2", {}, texts.chance(row.colour), el("small", {}, texts.say(`dealer.${name}`))),
        el("div", { class: "p-dealer-cards" }, row.cards.map((card) => el("span", { data: { card } }, face(card)))),
        el("output", { class: "p-dealer-total", "aria-label": texts.say("common.total") }, total || "–"),
      );
    });
  }

  /**
   * @param {readonly Stake[]} list
   * @param {DealerReading} reading
   * @param {Money} money
   */
  function drawStakes(list, reading, money) {
    const sums = Object.entries(reading.staked).filter(([, units]) => units);
    return [
      el("h2", {}, texts.say("dealer.stakes")),
      reading.waiting
        ? el("p", { class: "p-notice" }, `${texts.say("dealer.offers")}: ${reading.waiting}`)
        : null,
      sums.length
        ? el(
            "p",
            { class: "p-sums" },
            sums.map(([chance, units]) =>
              el("span", { class: "p-badge", data: { staked: chance } }, `${chanceName(texts, facts, chance)} ${money.format(units)}`),
            ),
          )
        : null,
      list.length
        ? grid(
            texts.say("dealer.stakes"),
            ["player", "chance", "amount"].map((key) => texts.say(`common.${key}`)).concat(texts.say("dealer.stake_state")),
            list.map((stake) => [
              stake.owner,
              chanceName(texts, facts, stake.chance),
              money.format(stake.amount),
              [texts.state(stake.state), stake.insured ? texts.say("dealer.insured") : ""].filter(Boolean).join(", "),
            ]),
            { numbers: false },
          )
        : el("p", { class: "p-note" }, texts.say("dealer.no_stakes")),
    ];
  }

  /** @param {boolean} allowed */
  function drawCalls(allowed) {
    const phrases = (facts?.phrases ?? []).filter((phrase) => phrase.said);
    const kept = calls.querySelector("select")?.value;
    const field = el(
      "select",
      { "aria-label": texts.say("dealer.call"), data: { input: "phrase" } },
      phrases.map((phrase) =>
        el(
          "option",
          { value: phrase.phrase, selected: phrase.phrase === kept },
          phrase.translated && phrase.translated !== phrase.said ? `${phrase.said} – ${phrase.translated}` : phrase.said,
        ),
      ),
    );
    return [
      el("h2", {}, texts.say("dealer.call")),
      el(
        "div",
        { class: "p-entering-row" },
        field,
        el(
          "button",
          {
            type: "button",
            class: "p-button",
            disabled: !allowed || !phrases.length,
            data: { do: "announce" },
            onclick: () => void give([{ kind: "announce", phrase: field.value }], field.selectedOptions[0]?.text ?? ""),
          },
          texts.say("dealer.call_say"),
        ),
      ),
    ];
  }

  function drawCoups() {
    if (!now) return [];
    const { reading, money } = now;
    const list = reading.coups
      .filter((coup) => coup.status === "settled" || coup.status === "void")
      .toReversed();
    return [
      el("h2", {}, texts.say("tabs.history")),
      list.length
        ? el(
            "ol",
            { class: "p-coups" },
            list.map((coup) =>
              el(
                "li",
                { class: "p-coup", data: { shoe: coup.shoe, coup: coup.coup, status: coup.status } },
                el(
                  "div",
                  { class: "p-coup-head" },
                  el("h3", {}, texts.say("common.coup_of", { shoe: coup.shoe, coup: coup.coup })),
                  coup.corrected ? el("span", { class: "p-badge" }, texts.say("common.corrected")) : null,
                ),
                el("p", { class: "p-faces" }, coup.first.cards.map(face), el("b", { class: "p-point" }, coup.first.point ?? "–")),
                el("p", { class: "p-faces" }, coup.second.cards.map(face), el("b", { class: "p-point" }, coup.second.point ?? "–")),
                el("p", { class: "p-outcome" }, coup.void || coup.outcome),
                coup.lines.length
                  ? el(
                      "details",
                      {},
                      el("summary", {}, texts.say("dealer.stakes")),
                      el(
                        "ul",
                        { class: "p-lines" },
                        coup.lines.map((line) => el("li", {}, `${line.player}: ${line.text} (${money.signed(line.net)})`)),
                      ),
                    )
                  : null,
              ),
            ),
          )
        : el("p", { class: "p-note" }, texts.say("history.none")),
    ];
  }

  /** A reader types wherever the focus is. @param {KeyboardEvent} event */
  function typed(event) {
    const at = event.target instanceof Element ? event.target : null;
    if (!now?.view.live || entering.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") || at?.closest("input,select,textarea")) return;
    if (/^[0-9a-z♠♥♦♣]$/i.test(event.key)) entry.focus();
  }

  const connection = connect({
    table,
    token: api.token,
    language: texts.language,
    take(message) {
      if (message.kind !== "state" && message.kind !== "entry") return;
      window.clearTimeout(soon);
      soon = window.setTimeout(() => void read(), 40);
    },
    news(news) {
      main.dataset["connection"] = news.status;
      if (news.status === "lost") notice.refused(texts.say("live.lost"));
      else if (news.status === "open") notice.clear();
    },
    refusedBy: () => api.get("/api/me").then(() => 200, (error) => error?.problem?.status ?? 0),
  });
  document.addEventListener("keydown", typed);
  void read();
  return () => {
    window.clearTimeout(soon);
    document.removeEventListener("keydown", typed);
    connection.close();
  };
}

void begin("dealer", ["dealer", "supervisor"], page);
