/** What the pages of the staff have in common: the pass, the language, the head of the page. */

/** @import {Api, SettingsStore, Texts} from "./types.js" */
/** @import {Me, TableSummary} from "../trente.js" */

import { ApiError, createApi, why } from "./api.js";
import { announce, el, fill, labelled, select } from "./dom.js";
import { mountEntrance } from "./lobby.js";
import { createSettings } from "./settings.js";
import { createTexts, firstLanguage, NAMES } from "./texts.js";

const PLACE = "trente.staff";

/**
 * @typedef {object} Desk
 * @property {Api} api
 * @property {Texts} texts
 * @property {SettingsStore} settings
 * @property {Me} me
 * @property {HTMLElement} main where the page is
 * @property {HTMLElement} head where a page may put something of its own
 * @property {string} table the table of the address, empty for none
 */

/** Take the pass and the table out of the address: neither is left in it. */
function taken() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token") ?? sessionStorage.getItem(PLACE) ?? "";
  const table = given.get("table") ?? sessionStorage.getItem(`${PLACE}.table`) ?? "";
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  if (token) sessionStorage.setItem(PLACE, token);
  return { token, table, language: given.get("language") ?? "" };
}

/**
 * Remember the table, so that a reload comes back to it.
 * @param {string} table
 */
export function remember(table) {
  sessionStorage.setItem(`${PLACE}.table`, table);
}

/**
 * Begin a page of the staff; `page` is called once the visitor is known, and again in a new language.
 * @param {"dealer" | "supervisor"} name
 * @param {readonly Me["role"][]} roles who may use it
 * @param {(desk: Desk) => (() => void) | void} page returns what stops it
 */
export async function begin(name, roles, page) {
  const settings = createSettings();
  const access = taken();
  const api = createApi("", access.token);
  const texts = createTexts(api);
  await texts.load(firstLanguage(settings.get().language || access.language));
  document.body.classList.add("p-staff-body");

  /** @param {string} [refused] */
  const enter = (refused = "") => {
    const place = el("main", {});
    fill(document.body, place);
    mountEntrance(place, {
      texts,
      refused,
      enter(token) {
        sessionStorage.setItem(PLACE, token);
        location.reload();
      },
    });
  };
  if (!access.token) return enter();
  /** @type {Me} */
  let me;
  try {
    me = await api.get("/api/me");
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 401) sessionStorage.removeItem(PLACE);
    return enter(why(error, texts));
  }
  if (!roles.includes(me.role)) return enter(texts.say(`${name}.forbidden`));

  const wide = matchMedia("(min-width: 701px)");
  wide.addEventListener("change", () => {
    const folded = /** @type {HTMLDetailsElement | null} */ (document.querySelector(".p-staff-fold"));
    if (folded) folded.open = wide.matches;
  });

  /** Who is here, and how the page looks to them; on a narrow screen folded away. */
  function who() {
    const folded = el(
      "details",
      { class: "p-staff-fold" },
      el("summary", {}, texts.say("settings.title")),
      el(
        "div",
        { class: "p-staff-who" },
        el("span", { class: "p-note" }, texts.say("lobby.who", { name: me.name })),
        select(
          texts.languages.map((code) => [code, NAMES[/** @type {"en"} */ (code)]]),
          texts.language,
          (language) => settings.set({ language }),
          { "aria-label": texts.say("settings.language"), data: { setting: "language" } },
        ),
        select(
          [
            ["system", texts.say("settings.system")],
            ["light", texts.say("settings.light")],
            ["dark", texts.say("settings.dark")],
          ],
          settings.get().theme,
          (theme) => settings.set({ theme: /** @type {"light"} */ (theme) }),
          { "aria-label": texts.say("settings.theme"), data: { setting: "theme" } },
        ),
        el(
          "button",
          {
            type: "button",
            class: "p-button",
            data: { do: "sign-out" },
            onclick() {
              sessionStorage.removeItem(PLACE);
              location.reload();
            },
          },
          texts.say("lobby.sign_out"),
        ),
      ),
    );
    folded.open = wide.matches;
    return folded;
  }

  /** @type {(() => void) | void} */
  let stop;
  function draw() {
    stop?.();
    const main = el("main", { class: "p-staff-main", id: "main", tabindex: "-1" });
    const head = el("div", { class: "p-staff-own" });
    document.title = `${texts.say(`${name}.title`)} – trente et quarante`;
    fill(
      document.body,
      el(
        "header",
        { class: "p-staff-head" },
        el("h1", {}, texts.say(`${name}.title`)),
        head,
        who(),
      ),
      main,
    );
    stop = page({ api, texts, settings, me, main, head, table: sessionStorage.getItem(`${PLACE}.table`) ?? access.table });
  }

  settings.subscribe((now, before) => {
    if (now.language !== before.language) void texts.load(firstLanguage(now.language));
  });
  texts.subscribe(draw);
  if (access.table) remember(access.table);
  draw();
}

/**
 * Return a line that says what was done, and what was refused.
 */
export function createNotice() {
  const element = el("p", { class: "p-notice", hidden: true });
  return {
    element,
    /** @param {string} text */
    done(text) {
      element.hidden = false;
      element.className = "p-notice good";
      element.removeAttribute("role");
      element.textContent = text;
      announce(text);
    },
    /** @param {string} text */
    refused(text) {
      element.hidden = false;
      element.className = "p-notice bad";
      element.setAttribute("role", "alert");
      element.textContent = text;
    },
    clear() {
      element.hidden = true;
      element.textContent = "";
    },
  };
}

/**
 * Return a button that acts at the second press, within some seconds of the first.
 * @param {Texts} texts
 * @param {string} text
 * @param {{[name: string]: any}} given
 * @param {() => void} act
 */
export function twice(texts, text, given, act) {
  /** @type {number | undefined} */
  let armed;
  const button = el("button", { type: "button", ...given, class: "p-button p-danger" }, text);
  const disarm = () => {
    window.clearTimeout(armed);
    armed = undefined;
    button.textContent = text;
    button.classList.remove("sure");
  };
  button.addEventListener("click", () => {
    if (armed) {
      disarm();
      act();
      return;
    }
    button.textContent = texts.say("dealer.sure");
    button.classList.add("sure");
    announce(texts.say("dealer.sure"));
    armed = window.setTimeout(disarm, 5000);
  });
  button.addEventListener("blur", disarm);
  return button;
}

/**
 * Return a field of the tables that the visitor may see.
 * @param {Desk} desk
 * @param {readonly TableSummary[]} tables
 * @param {string} chosen
 * @param {(table: string) => void} changed
 */
export function tableField(desk, tables, chosen, changed) {
  const { texts } = desk;
  const field = select(
    [
      ...(chosen ? [] : [/** @type {[string, string]} */ (["", texts.say("dealer.no_table")])]),
      ...tables.map((table) => /** @type {[string, string]} */ ([table.table, table.title || table.table])),
    ],
    chosen,
    changed,
    { data: { input: "table" } },
  );
  const made = labelled(texts.say("dealer.table"), field);
  made.classList.add("inline");
  return made;
}

