/** The supervisor's page: the tables, and the books of the one that is looked at. */

/** @import {DealerReading, HouseChoice, TableSummary} from "../trente.js" */
/** @import {Desk} from "./staff.js" */

import { createMoney } from "../money.js";
import { why } from "./api.js";
import { bookTabs, bounds } from "./books.js";
import { show } from "./dialog.js";
import { el, fill, labelled, select } from "./dom.js";
import { net } from "./faces.js";
import { begin, createNotice, remember, twice } from "./staff.js";

const EVERY = 5000;
/** So many tables are asked for their stakes each time; the others show what a list has. */
const LOOKED_AT = 24;

/** @param {Desk} desk */
function page(desk) {
  const { api, texts, main, head, me } = desk;
  const rules = me.role === "supervisor";
  const notice = createNotice();
  const list = el("div", { class: "p-scroll", tabindex: "0", role: "region", "aria-label": texts.say("supervisor.tables") });
  const books = el("section", { class: "p-sheet-card p-books", hidden: true });
  /** @type {TableSummary[]} */
  let tables = [];
  /** @type {Map<string, DealerReading>} */
  const readings = new Map();
  let chosen = "";
  let reading = false;

  fill(
    head,
    rules
      ? el(
          "div",
          { class: "p-actions" },
          el(
            "button",
            { type: "button", class: "p-button p-main", data: { do: "create" }, onclick: () => void create() },
            texts.say("supervisor.create"),
          ),
          el(
            "button",
            { type: "button", class: "p-button", data: { do: "tokens" }, onclick: () => issue() },
            texts.say("supervisor.tokens"),
          ),
        )
      : null,
  );
  fill(
    main,
    el(
      "div",
      { class: "p-supervisor" },
      notice.element,
      el("section", { class: "p-sheet-card" }, el("h2", {}, texts.say("supervisor.tables")), list),
      books,
    ),
  );

  /** Those where something is going on come first, closed ones last. @param {TableSummary} table */
  function rank(table) {
    if (table.closed) return 3;
    if (table.players) return 0;
    return table.phase === "no-shoe" ? 2 : 1;
  }

  async function read() {
    if (reading) return;
    reading = true;
    try {
      const all = /** @type {TableSummary[]} */ (await api.get("/api/tables"));
      tables = all.toSorted((a, b) => rank(a) - rank(b));
      const open = tables.filter((table) => !table.closed).slice(0, LOOKED_AT);
      await Promise.all(
        open.map(async (table) => {
          const path = `/api/tables/${encodeURIComponent(table.table)}/dealer?language=${texts.language}`;
          readings.set(table.table, await api.get(path));
        }),
      );
      draw();
    } catch (error) {
      notice.refused(texts.say("common.failed", { reason: why(error, texts) }));
      draw();
    } finally {
      reading = false;
    }
  }

  function draw() {
    const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["focus"] : "";
    const heads = ["dealer.table", "supervisor.house", "supervisor.phase", "common.coup", "supervisor.players", "supervisor.stakes"];
    fill(
      list,
      tables.length
        ? el(
            "table",
            { class: "p-table p-tables-list" },
            el("caption", { class: "p-hidden" }, texts.say("supervisor.tables")),
            el("thead", {}, el("tr", {}, heads.map((key) => el("th", { scope: "col" }, texts.say(key))), el("td", {}))),
            el("tbody", {}, tables.map(row)),
          )
        : el("p", { class: "p-note" }, texts.say("lobby.none")),
    );
    if (focus) /** @type {HTMLElement | null} */ (list.querySelector(`[data-focus="${focus}"]`))?.focus();
  }

  /** @param {TableSummary} table */
  function row(table) {
    const money = createMoney(table, texts.language);
    const known = readings.get(table.table);
    const sum = [...Object.values(known?.staked ?? {}), ...Object.values(known?.held ?? {})].reduce((a, b) => a + b, 0);
    const [, shoe = "0", coup = "0"] = table.round.split("/");
    const name = table.title || table.table;
    return el(
      "tr",
      { class: table.table === chosen ? "chosen" : null, data: { table: table.table, phase: table.phase } },
      el("th", { scope: "row" }, name, el("small", {}, texts.say(`lobby.${table.dealt_by}`))),
      el("td", { data: { label: texts.say("supervisor.house") } }, table.house),
      el("td", { data: { label: texts.say("supervisor.phase") } }, table.closed ? texts.say("lobby.closed") : texts.phase(table.phase)),
      el("td", { data: { label: texts.say("common.coup") } }, texts.say("common.coup_of", { shoe, coup })),
      el("td", { data: { label: texts.say("supervisor.players") } }, table.players),
      el("td", { data: { staked: sum, label: texts.say("supervisor.stakes") } }, known ? money.format(sum) : "–"),
      el(
        "td",
        {},
        el(
          "div",
          { class: "p-actions" },
          el(
            "button",
            {
              type: "button",
              class: "p-button p-small",
              "aria-pressed": String(table.table === chosen),
              data: { do: "open", focus: `open-${table.table}` },
              onclick: () => choose(table.table),
            },
            texts.say("supervisor.open"),
            el("span", { class: "p-hidden" }, ` ${name}`),
          ),
          rules && !table.closed && table.dealt_by === "dealer"
            ? el(
                "button",
                {
                  type: "button",
                  class: "p-button p-small",
                  data: { do: "deal", focus: `deal-${table.table}` },
                  onclick() {
                    remember(table.table);
                    location.assign("/dealer");
                  },
                },
                texts.say("supervisor.deal"),
                el("span", { class: "p-hidden" }, ` ${name}`),
              )
            : null,
        ),
      ),
    );
  }

  /** @param {string} name */
  function choose(name) {
    chosen = name;
    remember(name);
    draw();
    const table = tables.find((each) => each.table === name);
    books.hidden = !table;
    if (!table) return;
    const money = createMoney(table, texts.language);
    fill(
      books,
      el(
        "div",
        { class: "p-books-head" },
        el("h2", { tabindex: "-1" }, table.title || table.table),
        rules && !table.closed
          ? el(
              "div",
              { class: "p-actions" },
              twice(texts, texts.say("supervisor.close"), { data: { do: "close" } }, () => void close(name)),
            )
          : null,
      ),
      rules && !table.closed ? el("p", { class: "p-note" }, texts.say("supervisor.close_note")) : null,
      bookTabs(desk, table, money, {
        posted: () => void read(),
        notice,
        net: (units) => net(money, units),
      }),
    );
    /** @type {HTMLElement | null} */ (books.querySelector("h2"))?.focus();
  }

  /** @param {string} name */
  async function close(name) {
    try {
      await api.post(`/api/tables/${encodeURIComponent(name)}/close`);
      notice.done(texts.say("dealer.done", { what: texts.say("supervisor.close") }));
      await read();
      choose(name);
    } catch (error) {
      notice.refused(texts.say("dealer.refused", { reason: why(error, texts) }));
    }
  }

  async function create() {
    const houses = /** @type {HouseChoice[]} */ (await api.get("/api/houses").catch(() => []));
    const field = {
      table: el("input", { type: "text", required: true, pattern: "[a-z0-9]([a-z0-9\\-]{0,62}[a-z0-9])?", autocomplete: "off", data: { input: "name" } }),
      title: el("input", { type: "text", maxlength: 80, data: { input: "title" } }),
      house: select(houses.map((house) => [house.name, `${house.title} (${house.currency})`]), "", undefined, { data: { input: "house" } }),
      minimum: el("input", { type: "text", inputmode: "decimal", autocomplete: "off", data: { input: "minimum" } }),
      maximum: el("input", { type: "text", inputmode: "decimal", autocomplete: "off", data: { input: "maximum" } }),
      dealer: select(
        [
          ["service", texts.say("supervisor.by_service")],
          ["dealer", texts.say("supervisor.by_dealer")],
          ["live", texts.say("supervisor.live")],
        ],
        "service",
        undefined,
        { data: { input: "pace" } },
      ),
      bets: el("input", { type: "number", min: 0, max: 86400, data: { input: "bets" } }),
      choices: el("input", { type: "number", min: 0, max: 86400, data: { input: "choices" } }),
      purses: el("input", { type: "checkbox", data: { input: "purses" } }),
      chips: el("input", { type: "checkbox", checked: true, data: { input: "chips" } }),
    };
    /** @param {string} key */
    const say = (key) => texts.say(`supervisor.${key}`);
    const times = el("div", { class: "p-two" }, labelled(say("bets_time"), field.bets, say("wait")), labelled(say("choices_time"), field.choices, say("wait")));
    field.dealer.addEventListener("change", () => {
      times.hidden = field.dealer.value !== "service";
    });
    const refused = el("p", { class: "p-refused", role: "alert" });
    const form = el(
      "form",
      { class: "p-stack" },
      labelled(say("house"), field.house),
      el("div", { class: "p-two" }, labelled(say("name"), field.table, say("name_note")), labelled(say("shown_title"), field.title)),
      el("div", { class: "p-two" }, labelled(say("minimum"), field.minimum, say("unset")), labelled(say("maximum"), field.maximum, say("unset"))),
      labelled(say("pace"), field.dealer),
      times,
      el("label", { class: "p-check" }, field.purses, el("span", {}, say("purses"))),
      el("label", { class: "p-check" }, field.chips, el("span", {}, say("chips"))),
      refused,
      el(
        "div",
        { class: "p-actions" },
        el("button", { type: "button", class: "p-button", onclick: () => opened.close() }, texts.say("common.cancel")),
        el("button", { type: "submit", class: "p-button p-main", data: { do: "confirm" } }, say("create")),
      ),
    );
    const opened = show({ title: say("create"), body: [form], name: "create", class: "wide", firm: true });
    /** @param {HTMLInputElement} input */
    const time = (input) => (input.value === "" ? null : Math.round(input.valueAsNumber * 1000));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const house = houses.find((each) => each.name === field.house.value);
      if (!house) return;
      const opening = bounds(createMoney(house, texts.language), { minimum: field.minimum, maximum: field.maximum });
      if (typeof opening === "string") {
        refused.textContent = texts.say("supervisor.not_amount", { text: opening });
        return;
      }
      try {
        const made = /** @type {TableSummary} */ (
          await api.post("/api/tables", {
            table: field.table.value.trim(),
            house: field.house.value,
            title: field.title.value.trim(),
            opening,
            purses: field.purses.checked,
            chips: field.chips.checked ? "shown" : "hidden",
            live: field.dealer.value === "live",
            pace: field.dealer.value === "service" ? { bets: time(field.bets), choices: time(field.choices) } : null,
          })
        );
        opened.close();
        notice.done(texts.say("supervisor.created", { name: made.table }));
        await read();
        choose(made.table);
      } catch (error) {
        refused.textContent = why(error, texts);
      }
    });
    field.house.focus();
  }

  function issue() {
    /** @param {string} key */
    const say = (key) => texts.say(`supervisor.${key}`);
    const name = el("input", { type: "text", required: true, autocomplete: "off", data: { input: "name" } });
    const role = select(["player", "dealer", "supervisor", "auditor"].map((each) => [each, say(`role_${each}`)]), "player", undefined, { data: { input: "role" } });
    const boxes = tables.filter((table) => !table.closed).map((table) => ({ table, box: el("input", { type: "checkbox", value: table.table }) }));
    const hours = el("input", { type: "number", min: 1, max: 720, value: 12, data: { input: "hours" } });
    const refused = el("p", { class: "p-refused", role: "alert" });
    const issued = el("div", { class: "p-issued", hidden: true });
    const form = el(
      "form",
      { class: "p-stack" },
      el("div", { class: "p-two" }, labelled(say("token_name"), name), labelled(say("token_role"), role)),
      el(
        "fieldset",
        { class: "p-checks" },
        el("legend", {}, say("token_tables")),
        boxes.map(({ table, box }) => el("label", { class: "p-check" }, box, el("span", {}, table.title || table.table))),
      ),
      labelled(say("token_hours"), hours),
      refused,
      issued,
      el(
        "div",
        { class: "p-actions" },
        el("button", { type: "button", class: "p-button", onclick: () => opened.close() }, texts.say("common.close")),
        el("button", { type: "submit", class: "p-button p-main", data: { do: "issue" } }, say("token_issue")),
      ),
    );
    const opened = show({ title: say("tokens"), body: [form], name: "tokens", class: "wide", firm: true });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      refused.textContent = "";
      const picked = boxes.filter(({ box }) => box.checked).map(({ table }) => table.table);
      try {
        const { token } = await api.post("/api/tokens", {
          name: name.value.trim(),
          role: role.value,
          tables: picked.length ? picked : ["*"],
          seconds: Math.round(hours.valueAsNumber * 3600),
        });
        const path = role.value === "player" ? "/" : role.value === "dealer" ? "/dealer" : "/supervisor";
        const table = picked.length === 1 ? `&table=${picked[0]}` : "";
        issued.hidden = false;
        fill(
          issued,
          copied(texts.say("lobby.token"), token),
          copied(say("token_link"), `${location.origin}${path}#token=${token}${table}`),
          el("p", { class: "p-note" }, say("token_note")),
        );
      } catch (error) {
        refused.textContent = why(error, texts);
      }
    });
    name.focus();
  }

  /**
   * @param {string} label
   * @param {string} value
   */
  function copied(label, value) {
    const field = el("input", { type: "text", readonly: true, value, data: { output: "token" } });
    const button = el("button", { type: "button", class: "p-button" }, texts.say("common.copy"));
    button.addEventListener("click", async () => {
      field.select();
      await navigator.clipboard?.writeText(value).catch(() => undefined);
      button.textContent = texts.say("common.copied");
    });
    const made = labelled(label, field);
    made.append(button);
    return made;
  }

  void read().then(() => desk.table && tables.some((each) => each.table === desk.table) && choose(desk.table));
  const timer = setInterval(() => {
    if (!document.hidden) void read();
  }, EVERY);
  return () => clearInterval(timer);
}

void begin("supervisor", ["supervisor", "auditor"], page);
