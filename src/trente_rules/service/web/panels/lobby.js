/** The tables that one may sit down at, and the pass by which one is known. */

/** @import {Api, Settings, SettingsStore, Texts} from "./types.js" */
/** @import {Me, TableSummary} from "../trente.js" */

import { createMoney } from "../money.js";
import { why } from "./api.js";
import { el, fill, labelled, select } from "./dom.js";
import { NAMES } from "./texts.js";

/**
 * Show the lobby; `open` is called with the table that is chosen.
 * @param {HTMLElement} container
 * @param {{api: Api, texts: Texts, settings?: SettingsStore, open: (table: string) => void, leave?: () => void}} context
 */
export function mountLobby(container, context) {
  const { api, texts } = context;
  const title = el("h1", {});
  const who = el("p", { class: "p-lead" });
  const place = el("div", { class: "p-lobby" });
  const again = el("button", { type: "button", class: "p-button", data: { do: "refresh" }, onclick: () => void read() });
  const leave = el("button", { type: "button", class: "p-button", data: { do: "leave" }, onclick: () => context.leave?.() });
  const looks = el("div", { class: "p-actions p-looks" });

  /** Language and appearance, where the page can be set. */
  function look() {
    const { settings } = context;
    if (!settings) return;
    const focus = document.activeElement?.getAttribute("data-setting");
    fill(
      looks,
      select(
        texts.languages.map((code) => [code, NAMES[/** @type {"en"} */ (code)]]),
        texts.language,
        (language) => settings.set({ language }),
        { "aria-label": texts.say("settings.language"), data: { setting: "language" } },
      ),
      select(
        /** @type {const} */ (["system", "light", "dark"]).map((theme) => [theme, texts.say(`settings.${theme}`)]),
        settings.get().theme,
        (theme) => settings.set({ theme: /** @type {Settings["theme"]} */ (theme) }),
        { "aria-label": texts.say("settings.theme"), data: { setting: "theme" } },
      ),
    );
    if (focus) /** @type {HTMLElement | null} */ (looks.querySelector(`[data-setting="${focus}"]`))?.focus();
  }

  container.classList.add("p-page");
  if (container.tagName !== "MAIN") container.setAttribute("role", "main");
  fill(container, el("div", { class: "p-lobby-head" }, el("div", {}, title, who), el("div", { class: "p-actions" }, looks, again, context.leave ? leave : null)), place);

  async function read() {
    if (looks.lang !== texts.language) {
      looks.lang = texts.language;
      look();
    }
    title.textContent = texts.say("lobby.title");
    again.textContent = texts.say("lobby.refresh");
    leave.textContent = texts.say("lobby.sign_out");
    try {
      const me = /** @type {Me} */ (await api.get("/api/me"));
      const tables = /** @type {TableSummary[]} */ (await api.get("/api/tables"));
      who.textContent = texts.say("lobby.who", { name: me.name });
      const focus = document.activeElement?.getAttribute("data-join");
      fill(
        place,
        tables.length
          ? el("ul", { class: "p-tables" }, tables.map((table) => row(table, me)))
          : el("p", {}, texts.say("lobby.none")),
      );
      if (focus) /** @type {HTMLElement | null} */ (place.querySelector(`[data-join="${focus}"]`))?.focus();
    } catch (error) {
      fill(place, el("p", { role: "alert" }, texts.say("common.failed", { reason: why(error, texts) })));
    }
  }

  /**
   * @param {TableSummary} table
   * @param {Me} me
   */
  function row(table, me) {
    const name = table.title || table.table;
    const least = typeof table.opening === "number" ? table.opening : (table.opening?.minimum ?? null);
    const minimum =
      least === null
        ? null
        : `${texts.say("lobby.minimum")} ${createMoney(table, texts.language).format(least)}`;
    const players =
      table.players === 0 ? texts.say("lobby.players_none") : texts.count("lobby.players", table.players);
    return el(
      "li",
      { class: "p-table-card", data: { table: table.table } },
      el(
        "div",
        {},
        el("h2", {}, name),
        el(
          "p",
          { class: "p-note" },
          [minimum, players, texts.say(`lobby.${table.dealt_by}`)].filter(Boolean).join(" · "),
        ),
        el(
          "p",
          { class: "p-phase" },
          table.closed ? texts.say("lobby.closed") : texts.phase(table.phase),
        ),
      ),
      table.closed
        ? null
        : el(
            "button",
            {
              type: "button",
              class: "p-button p-main",
              data: { join: table.table },
              onclick: () => context.open(table.table),
            },
            texts.say(me.role === "player" ? "lobby.join" : "lobby.look"),
            el("span", { class: "p-hidden" }, ` ${name}`),
          ),
    );
  }

  void read();
  const timer = setInterval(() => {
    if (!document.hidden && container.isConnected && !container.hidden) void read();
  }, 10_000);
  const unsubscribe = texts.subscribe(() => void read());
  return {
    refresh: read,
    stop() {
      clearInterval(timer);
      unsubscribe();
      container.replaceChildren();
    },
  };
}

/**
 * Ask for a pass; `enter` is called with what was given.
 * @param {HTMLElement} container
 * @param {{texts: Texts, enter: (token: string) => void, refused?: string}} context
 */
export function mountEntrance(container, context) {
  const { texts } = context;
  const field = el("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    data: { input: "token" },
  });
  container.classList.add("p-page");
  if (container.tagName !== "MAIN") container.setAttribute("role", "main");
  fill(
    container,
    el(
      "form",
      {
        class: "p-entrance",
        onsubmit(/** @type {SubmitEvent} */ event) {
          event.preventDefault();
          const token = field.value.trim();
          if (token) context.enter(token);
        },
      },
      el("h1", {}, texts.say("lobby.token")),
      context.refused ? el("p", { role: "alert", class: "p-refused" }, context.refused) : null,
      labelled(texts.say("lobby.token"), field, texts.say("lobby.token_note")),
      el("button", { type: "submit", class: "p-button p-main" }, texts.say("lobby.enter")),
    ),
  );
  field.focus();
}
