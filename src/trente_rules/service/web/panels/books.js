/** The books of one table: monitor, journal of a coup, corrections, movements, limits. */

/** @import {CoupReading, HouseFacts, JournalReading, LevelReading, MonitorReading, Movement, MovementsPage, Opening, TableSummary} from "../trente.js" */
/** @import {Desk} from "./staff.js" */
/** @import {Money} from "./types.js" */

import { newId } from "../connection.js";
import { why } from "./api.js";
import { el, fill, fresh, grid, labelled, pairs, select } from "./dom.js";
import { chanceName, face } from "./faces.js";

/**
 * @typedef {object} Books
 * @property {() => void} posted
 * @property {{done: (text: string) => void, refused: (text: string) => void}} notice
 * @property {(units: number | null) => Node | null} net
 */

/** What is an amount in the journal. */
const AMOUNTS = new Set([
  ...["amount", "premium", "returned", "won", "forfeited", "staying", "handed_back", "added", "taken"],
  ...["premium_kept", "premium_returned", "players_net", "bank_net", "minimum", "maximum"],
]);

/** The texts of the tests of the cards, by their names.
 * @type {Record<string, string>} */
const CARD_TESTS = {
  "refaits, too many": "test_refaits_many",
  "refaits, too few": "test_refaits_few",
  "refaits, in turn": "test_refaits_in_turn",
  points: "test_points",
  "first colours": "test_first_colours",
  "coups a taille": "test_tailles",
};

/** @typedef {(key: string, given: unknown) => string} Told */

/**
 * Return the tabs of a table's books.
 * @param {Desk} desk
 * @param {TableSummary} table
 * @param {Money} money
 * @param {Books} books
 */
export function bookTabs(desk, table, money, books) {
  const { api, texts, me } = desk;
  const base = `/api/tables/${encodeURIComponent(table.table)}`;
  /** @param {string} key */
  const say = (key) => texts.say(`supervisor.${key}`);
  /** @param {string} path @param {{[name: string]: string | number}} [parameters] */
  const ask = (path, parameters = {}) => {
    const query = new URLSearchParams({ language: texts.language });
    for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
    return api.get(`${base}/${path}?${query}`);
  };
  /** @type {[string, (place: HTMLElement) => Promise<void> | void][]} */
  const tabs = [
    ["monitor", monitor],
    ["journal", journal],
    ["corrections", corrections],
    ["movements", movements],
  ];
  if (me.role === "supervisor" && !table.closed) tabs.push(["limits", limits]);

  const place = el("div", { class: "p-stack", role: "tabpanel", tabindex: "0", id: fresh("book") });
  const buttons = tabs.map(([name]) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        class: "p-book",
        id: fresh("tab"),
        "aria-controls": place.id,
        data: { do: name },
        onclick: () => void open(name),
      },
      say(name),
    ),
  );
  const list = el("div", { role: "tablist", class: "p-book-tabs", "aria-label": table.title || table.table }, buttons);
  list.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(/** @type {any} */ (document.activeElement));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = buttons[(to + buttons.length) % buttons.length];
    next?.focus();
    next?.click();
  });

  /** @param {string} name */
  async function open(name) {
    for (const [at, button] of buttons.entries()) {
      const shown = tabs[at]?.[0] === name;
      button.setAttribute("aria-selected", String(shown));
      button.tabIndex = shown ? 0 : -1;
      if (shown) place.setAttribute("aria-labelledby", button.id);
    }
    place.dataset["panel"] = name;
    fill(place, el("p", { class: "p-note" }, texts.say("common.loading")));
    try {
      await tabs.find(([each]) => each === name)?.[1](place);
    } catch (error) {
      fill(place, el("p", { role: "alert" }, texts.say("common.failed", { reason: why(error, texts) })));
    }
  }

  /** @param {HTMLElement} at */
  async function monitor(at) {
    const [read, facts] = /** @type {[MonitorReading, HouseFacts]} */ (
      await Promise.all([ask("monitor"), ask("house")])
    );
    /** Figures of the odds are decimals of units. @param {string} figure */
    const units = (figure) => (figure ? money.format(Math.round(Number(figure))) : "–");
    /** @param {string} figure */
    const number = (figure) => (figure ? new Intl.NumberFormat(texts.language, { minimumFractionDigits: 2 }).format(Number(figure)) : "–");
    /** @param {string} figure */
    const often = (figure) => new Intl.NumberFormat(texts.language, { maximumSignificantDigits: 2 }).format(Number(figure));
    /** @param {LevelReading} level @param {string} name */
    const row = (level, name) => [
      name,
      level.amount ? money.format(level.amount) : "",
      level.stakes,
      money.format(level.turnover),
      books.net(level.net),
      units(level.expected),
      el("span", { data: { z: level.z } }, number(level.z)),
      el("span", { class: level.alarm ? "p-badge bad" : "", data: { p: level.p } }, often(level.p)),
    ];
    fill(
      at,
      el(
        "div",
        { class: `p-z ${read.alarm ? "bad" : "good"}`, data: { alarm: read.alarm } },
        el("strong", {}, `z ${number(read.total.z)}`),
        el("span", {}, texts.say("supervisor.monitor_note", { alarm: often(read.false_alarms) })),
      ),
      pairs([
        [texts.say("figures.coups"), read.coups],
        [say("bank"), books.net(read.bank_net)],
        [texts.say("figures.void"), read.voided],
        [say("corrections"), read.corrections],
        [say("pending"), read.pending],
      ]),
      grid(
        say("monitor"),
        [
          texts.say("common.chance"),
          texts.say("common.amount"),
          say("count"),
          say("turnover"),
          say("bank"),
          say("expected"),
          "z",
          "p",
        ],
        [
          row(read.total, texts.say("common.total")),
          ...read.levels.map((level) =>
            row(level, chanceName(texts, facts, level.chance) + (level.insured ? `, ${texts.say("dealer.insured")}` : "")),
          ),
        ],
      ),
      ...(read.cards.length
        ? [
            grid(
              say("monitor_cards"),
              [say("monitor_cards"), say("count"), say("seen"), say("expected"), "p"],
              read.cards.map((test) => [
                CARD_TESTS[test.test] ? say(CARD_TESTS[test.test]) : test.test,
                test.of,
                number(test.seen),
                number(test.expected),
                el("span", { class: test.alarm ? "p-badge bad" : "", data: { p: test.p } }, often(test.p)),
              ]),
            ),
          ]
        : []),
      el("p", { class: "p-note p-stamp" }, `${read.house} ${read.fingerprint}`),
    );
  }

  /** @param {HTMLElement} at */
  async function journal(at) {
    const coups = /** @type {CoupReading[]} */ (await ask("history", { coups: 200 }));
    const shown = el("div", { class: "p-stack" });
    const list = coups.toReversed();
    if (!list.length) {
      fill(at, el("p", { class: "p-note" }, texts.say("history.none")));
      return;
    }
    const which = select(
      list.map((coup) => [
        `${coup.shoe}/${coup.coup}`,
        `${texts.say("common.coup_of", { shoe: coup.shoe, coup: coup.coup })}${coup.corrected ? ` (${texts.say("common.corrected")})` : ""}`,
      ]),
      "",
      () => void look(),
      { data: { input: "coup" } },
    );
    fill(at, labelled(say("journal_which"), which), shown);

    async function look() {
      try {
        const read = /** @type {JournalReading} */ (await ask(`journal/${which.value}`));
        const { first, second, steps, taken_back: back, retracted, outcome } = read;
        fill(
          shown,
          el("p", { class: "p-lead" }, [read.status, ...[read.opened_at, read.closed_at, read.dealt_at].map(time)].filter(Boolean).join(" · ")),
          ...[first, second].map(dealt),
          read.verdicts
            ? el(
                "p",
                { class: "p-sums" },
                Object.entries(read.verdicts).map(([chance, verdict]) =>
                  el("span", { class: "p-badge" }, `${texts.chance(chance)} ${texts.verdict(verdict)}`),
                ),
              )
            : null,
          outcome ? value(outcome, told, texts.say("common.result")) : null,
          back.length ? el("details", { open: true }, el("summary", {}, say("corrections")), value(back, told, say("corrections"))) : null,
          retracted.length
            ? el("details", {}, el("summary", {}, texts.say("dealer.retract")), value(retracted, told, texts.say("dealer.retract")))
            : null,
          el("h3", {}, say("steps")),
          el("ol", { class: "p-steps" }, steps.map(step)),
        );
      } catch (error) {
        fill(shown, el("p", { role: "alert" }, texts.say("common.failed", { reason: why(error, texts) })));
      }
    }
    await look();
  }

  /** A row of the journal: its cards with what they counted. @param {{[name: string]: unknown}} row */
  function dealt(row) {
    const cards = Array.isArray(row["cards"]) ? row["cards"] : [];
    return el(
      "p",
      { class: "p-faces" },
      cards.map((each) => face(typeof each === "string" ? each : String(each.card))),
      el("b", { class: "p-point" }, String(row["point"] ?? "–")),
    );
  }

  /** @param {{[name: string]: unknown}} given */
  function step(given) {
    const { kind, event, at, index, ...rest } = given;
    return el(
      "li",
      { data: { kind: String(kind ?? event ?? "") } },
      el(
        "details",
        {},
        el(
          "summary",
          {},
          el("code", {}, String(kind ?? event ?? "")),
          el("span", { class: "p-note" }, [index === undefined ? "" : `#${index}`, time(at)].filter(Boolean).join("  ")),
        ),
        value(rest, told, String(kind ?? event ?? "")),
      ),
    );
  }

  /** Write a value as people do: amounts in money, times in the language. @type {Told} */
  function told(key, given) {
    if (typeof given === "number" && AMOUNTS.has(key)) return money.format(given);
    if (typeof given === "string" && /^\d{4}-\d\d-\d\dT/.test(given)) return time(given);
    return String(given);
  }

  /** @param {unknown} at */
  function time(at) {
    const date = typeof at === "string" ? new Date(at) : null;
    return date && !Number.isNaN(date.getTime())
      ? new Intl.DateTimeFormat(texts.language, { dateStyle: "short", timeStyle: "medium" }).format(date)
      : "";
  }

  /** @param {HTMLElement} at */
  async function corrections(at) {
    const coups = /** @type {CoupReading[]} */ (await ask("history", { coups: 200 }));
    const changed = coups.filter((coup) => coup.corrected || coup.void).toReversed();
    fill(
      at,
      changed.length
        ? grid(
            say("corrections"),
            [texts.say("common.coup"), texts.say("common.result"), say("count"), texts.say("common.reason")],
            changed.map((coup) => [
              texts.say("common.coup_of", { shoe: coup.shoe, coup: coup.coup }),
              coup.void || coup.outcome,
              coup.corrected,
              coup.reason || "–",
            ]),
            { numbers: false },
          )
        : el("p", { class: "p-note" }, say("no_corrections")),
    );
  }

  /** @param {HTMLElement} at */
  async function movements(at) {
    /** @type {Movement[]} */
    const all = [];
    let after = "";
    const shown = el("div", {});
    const more = el("button", { type: "button", class: "p-button", data: { do: "more" }, onclick: () => void next() }, say("more"));
    fill(at, shown, more);

    async function next() {
      const read = /** @type {MovementsPage} */ (await ask("movements", { after, limit: 100 }));
      all.push(...read.movements);
      more.hidden = read.movements.length < 100;
      after = read.next;
      fill(
        shown,
        all.length
          ? grid(
              say("movements"),
              ["id", texts.say("common.player"), texts.say("common.coup"), texts.say("common.amount"), texts.say("common.reason")],
              all.map((movement) => [
                el("code", {}, movement.id),
                movement.player,
                movement.round.split("/").slice(1).join("/"),
                books.net(movement.units),
                movement.reason,
              ]),
              { numbers: false },
            )
          : el("p", { class: "p-note" }, texts.say("common.none")),
      );
    }
    await next();
  }

  /** Write units as a decimal of the currency, to be changed. @param {number} units */
  function decimal(units) {
    const places = table.unit.split(".")[1]?.length ?? 0;
    return String(Number((units * Number(table.unit)).toFixed(places)));
  }

  /** @param {HTMLElement} at */
  function limits(at) {
    const posted = typeof table.opening === "number" ? { minimum: table.opening } : (table.opening ?? {});
    const fields = /** @type {const} */ (["minimum", "maximum", "insurance_minimum"]).map((name) => {
      const units = /** @type {{[name: string]: unknown}} */ (posted)[name];
      const input = el("input", {
        type: "text",
        inputmode: "decimal",
        value: typeof units === "number" ? decimal(units) : "",
        data: { input: name },
      });
      return { name, input };
    });
    // What else is posted, such as the bounds of single chances, stays.
    const { minimum: _least, maximum: _most, insurance_minimum: _insured, ...others } = /** @type {Opening} */ (posted);
    const refused = el("p", { class: "p-refused", role: "alert" });
    fill(
      at,
      el(
        "form",
        {
          class: "p-stack p-narrow",
          async onsubmit(/** @type {SubmitEvent} */ event) {
            event.preventDefault();
            const opening = bounds(money, Object.fromEntries(fields.map(({ name, input }) => [name, input])));
            if (typeof opening === "string") {
              refused.textContent = texts.say("supervisor.not_amount", { text: opening });
              return;
            }
            try {
              await api.post(`${base}/commands`, { kind: "post", id: newId(), opening: { ...others, ...opening } });
              refused.textContent = "";
              books.notice.done(texts.say("dealer.done", { what: say("limits") }));
              books.posted();
            } catch (error) {
              refused.textContent = why(error, texts);
            }
          },
        },
        ...fields.map(({ name, input }) => labelled(`${say(name)} (${table.currency})`, input, say("unset"))),
        el("p", { class: "p-note" }, say("limits_note")),
        refused,
        el("div", { class: "p-actions" }, el("button", { type: "submit", class: "p-button p-main", data: { do: "post" } }, say("post"))),
      ),
    );
  }

  void open("monitor");
  return el("div", { class: "p-stack" }, list, place);
}

/**
 * Return the opening of some fields, null where none is filled, and the text of one that is no
 * amount.
 * @param {Money} money
 * @param {{[name: string]: HTMLInputElement}} fields
 */
export function bounds(money, fields) {
  /** @type {{[name: string]: number}} */
  const opening = {};
  for (const [name, input] of Object.entries(fields)) {
    if (!input.value.trim()) continue;
    const units = money.parse(input.value);
    if (units === null) {
      input.focus();
      return input.value;
    }
    opening[name] = units;
  }
  return Object.keys(opening).length ? opening : null;
}

/**
 * Return any value of JSON as elements: what has fields as a list of names and values, several of
 * such as a table.
 * @param {unknown} given
 * @param {Told} told
 * @param {string} [name] of a table, for those who do not see it
 * @returns {Node}
 */
export function value(given, told, name = "") {
  if (!filled(given) || given === undefined) return document.createTextNode("–");
  if (Array.isArray(given)) {
    if (given.every((each) => typeof each !== "object")) return document.createTextNode(given.join(" "));
    const nested = given.some((each) => Object.values(each ?? {}).some((inner) => inner && typeof inner === "object"));
    if (!nested) return table(given, told, name);
    return el("ol", { class: "p-values" }, given.map((each) => el("li", {}, value(each, told, name))));
  }
  if (typeof given === "object" && given) {
    const entries = Object.entries(given).filter(([, each]) => filled(each));
    if (!entries.length) return document.createTextNode("–");
    const plain = entries.filter(([, each]) => !large(each));
    const lists = entries.filter(([, each]) => large(each));
    const made = pairs(plain.map(([key, each]) => [key, value(each, told, key)]));
    if (!lists.length) return made;
    return el("div", { class: "p-stack" }, plain.length ? made : null, lists.map(([key, each]) => value(each, told, key)));
  }
  return document.createTextNode(told(name, given));
}

/** @param {unknown} given */
function filled(given) {
  return given !== null && given !== "" && !(Array.isArray(given) && !given.length);
}

/** Return whether a value is a list of things with fields. @param {unknown} given */
function large(given) {
  return Array.isArray(given) && given.some((each) => each && typeof each === "object");
}

/**
 * Return things with the same fields as a table; what is empty or zero in all of them is left out.
 * @param {readonly {[name: string]: unknown}[]} rows
 * @param {Told} told
 * @param {string} name
 */
function table(rows, told, name) {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((key) =>
    rows.some((row) => filled(row[key]) && row[key] !== 0 && row[key] !== "0" && row[key] !== false),
  );
  return grid(name || keys.join(", "), keys, rows.map((row) => keys.map((key) => (filled(row[key]) && row[key] !== undefined ? told(key, row[key]) : "–"))), { numbers: false });
}
