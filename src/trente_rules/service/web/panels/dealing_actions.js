/** What a dealer can do besides turning cards: each with the question it needs. */

/** @import {AnyCommand} from "../trente.js" */
/** @import {Dealt} from "./dealer.js" */
/** @import {Desk} from "./staff.js" */

import { cardsOf } from "./cards_entry.js";
import { show } from "./dialog.js";
import { el, labelled, select } from "./dom.js";
import { chanceName } from "./faces.js";
import { twice } from "./staff.js";

/**
 * @typedef {object} Action
 * @property {string} name as in attributes
 * @property {AnyCommand["kind"]} kind
 * @property {string} key of its text
 * @property {boolean} [next] it moves the coup on
 * @property {boolean} [live] only of a shoe whose cards come from outside, or only of another
 * @property {boolean} [grave]
 * @property {(form: Form) => void} [ask] what has to be asked
 *
 * @typedef {{kind: AnyCommand["kind"]} & {[field: string]: unknown}} Given
 * @typedef {(commands: readonly Given[], said: string) => Promise<boolean>} Give
 */

/** A question with fields, and what is made of them. */
class Form {
  /**
   * @param {Desk} desk
   * @param {Action} action
   * @param {Dealt} now
   */
  constructor(desk, action, now) {
    this.texts = desk.texts;
    this.action = action;
    this.now = now;
    /** @type {HTMLElement[]} */
    this.parts = [];
    /** @type {(() => [string, unknown] | null)[]} */
    this.readers = [];
    this.bad = "";
  }

  /** @param {string} key */
  note(key) {
    this.parts.push(el("p", { class: "p-note" }, this.texts.say(`dealer.${key}`)));
  }

  /**
   * @param {string} name
   * @param {string} key
   * @param {{low?: number, high?: number, value?: number | ""}} bounds
   */
  number(name, key, bounds) {
    const input = el("input", {
      type: "number",
      inputmode: "numeric",
      min: bounds.low ?? null,
      max: bounds.high ?? null,
      value: bounds.value ?? (bounds.low !== undefined && bounds.low === bounds.high ? bounds.low : null),
      data: { input: name },
    });
    const range = bounds.low === undefined ? "" : `${bounds.low} – ${bounds.high}`;
    this.parts.push(labelled(this.texts.say(`dealer.${key}`), input, range));
    this.readers.push(() => (input.value === "" ? null : [name, input.valueAsNumber]));
  }

  /**
   * @param {string} name
   * @param {string} key
   * @param {boolean} [one] a single card
   */
  cards(name, key, one = false) {
    const input = el("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      data: { input: name },
    });
    this.parts.push(labelled(this.texts.say(`dealer.${key}`), input, "10H QS 7D AC"));
    this.readers.push(() => {
      const { cards, bad } = cardsOf(input.value);
      if (bad) this.bad = this.texts.say("dealer.unread", { text: bad });
      if (!cards.length) return null;
      return [name, one ? cards[0] : cards];
    });
    return input;
  }

  reason() {
    const input = el("input", { type: "text", required: true, maxlength: 200, data: { input: "reason" } });
    this.parts.push(labelled(this.texts.say("dealer.reason"), input));
    this.readers.push(() => {
      if (!input.value.trim()) this.bad = this.texts.say("dealer.reason_needed");
      return ["reason", input.value.trim()];
    });
  }

  /**
   * @param {string} name
   * @param {string} key
   */
  check(name, key) {
    const box = el("input", { type: "checkbox", data: { input: name } });
    this.parts.push(el("label", { class: "p-check" }, box, el("span", {}, this.texts.say(`dealer.${key}`))));
    this.readers.push(() => (box.checked ? [name, true] : null));
  }

  /** @returns {{[field: string]: unknown} | null} null where something is missing */
  read() {
    this.bad = "";
    const fields = this.readers.map((reader) => reader()).filter((field) => field !== null);
    return this.bad ? null : Object.fromEntries(fields);
  }
}

/** @type {readonly Action[]} */
export const ACTIONS = [
  { name: "shoe", kind: "open-shoe", key: "open_shoe", next: true },
  {
    name: "cut",
    kind: "cut",
    key: "cut",
    next: true,
    ask(form) {
      const [low, high] = form.now.facts.cut ?? [undefined, undefined];
      form.number("place", "cut_place", { ...(low === undefined ? {} : { low, high: high ?? low }) });
      if (form.now.view.live && !form.now.facts.first_colour) form.cards("card", "cut_card", true);
    },
  },
  {
    name: "burn",
    kind: "burn",
    key: "burn",
    next: true,
    ask(form) {
      if (form.now.view.live) form.cards("cards", "burn_cards");
    },
  },
  {
    name: "marker",
    kind: "place-marker",
    key: "marker",
    next: true,
    ask(form) {
      const { marker } = form.now.facts;
      form.number("from_end", "marker_place", marker ? { low: marker.low, high: marker.high } : {});
    },
  },
  { name: "open", kind: "open-bets", key: "open_bets", next: true },
  { name: "close", kind: "close-bets", key: "close_bets", next: true },
  { name: "deal", kind: "deal", key: "deal", next: true, live: false },
  { name: "turn-one", kind: "turn", key: "turn_one", live: false },
  { name: "settle", kind: "settle", key: "settle", next: true },
  {
    name: "retract",
    kind: "retract",
    key: "retract",
    live: true,
    ask(form) {
      form.number("cards", "retract_count", { low: 1, high: 20, value: 1 });
      form.check("exposed", "retract_exposed");
      form.reason();
    },
  },
  {
    name: "expose",
    kind: "expose",
    key: "expose",
    ask(form) {
      if (form.now.view.live) form.cards("card", "expose_card", true);
    },
  },
  { name: "show-marker", kind: "show-marker", key: "show_marker", live: true },
  { name: "end", kind: "end-shoe", key: "end_shoe", grave: true, ask() {} },
  {
    name: "void",
    kind: "void-coup",
    key: "void",
    grave: true,
    ask(form) {
      form.note("void_note");
      form.reason();
    },
  },
  { name: "correct", kind: "correct", key: "correct", grave: true, ask: askCorrection },
];

/** @param {Form} form */
function askCorrection(form) {
  const { texts, now } = form;
  const coups = now.reading.coups.filter((coup) => coup.status === "settled" || coup.status === "void").toReversed();
  const session = now.view.round.split("/")[0];
  form.note("correct_note");
  const which = select(
    coups.map((coup) => [
      `${session}/${coup.shoe}/${coup.coup}`,
      `${texts.say("common.coup_of", { shoe: coup.shoe, coup: coup.coup })}: ${coup.void || coup.outcome}`,
    ]),
    "",
    () => offer(),
    { data: { input: "target" } },
  );
  form.parts.push(labelled(texts.say("dealer.correct_which"), which));
  form.readers.push(() => (which.value ? ["target", which.value] : null));

  const what = select(
    [
      ...(now.view.live ? [/** @type {[string, string]} */ (["cards", texts.say("dealer.correct_cards")])] : []),
      ["choices", texts.say("dealer.correct_choices")],
      ["void", texts.say("dealer.correct_void")],
    ],
    "",
    () => offer(),
    { data: { input: "what" } },
  );
  form.parts.push(labelled(texts.say("dealer.correct_what"), what));
  const place = el("div", { class: "p-stack" });
  form.parts.push(place);

  const cards = el("input", { type: "text", autocomplete: "off", spellcheck: "false", data: { input: "cards" } });
  /** @type {{stake: string, field: HTMLInputElement}[]} */
  let choices = [];

  function offer() {
    const coup = coups[which.selectedIndex];
    choices = [];
    if (what.value === "cards") {
      cards.value = [...(coup?.first.cards ?? []), ...(coup?.second.cards ?? [])].join(" ");
      place.replaceChildren(labelled(texts.say("dealer.correct_row"), cards));
    } else if (what.value === "choices") {
      const names = el(
        "datalist",
        { id: "courses" },
        ["prison", "partage", "lost", "half", "freed", "stays", "one-out"].map((course) =>
          el("option", { value: course }, texts.course(course)),
        ),
      );
      const lines = (coup?.lines ?? []).filter((line) => line.verdict.startsWith("refait"));
      choices = lines.map((line) => ({
        stake: line.stake,
        field: el("input", { type: "text", list: "courses", value: line.course, data: { choice: line.stake } }),
      }));
      place.replaceChildren(
        names,
        ...choices.map(({ field }, at) => {
          const line = lines[at];
          return labelled(`${line?.player}: ${chanceName(texts, now.facts, line?.chance ?? "")}`, field);
        }),
      );
    } else place.replaceChildren();
  }

  form.readers.push(() => {
    if (what.value === "void") return ["void", true];
    if (what.value === "cards") {
      const read = cardsOf(cards.value);
      if (read.bad || !read.cards.length) form.bad = texts.say("dealer.unread", { text: read.bad });
      return ["cards", read.cards];
    }
    return ["choices", choices.map(({ stake, field }) => [stake, field.value.trim()])];
  });
  form.reason();
  offer();
}

/**
 * Ask what an action needs, and give its command.
 * @param {Desk} desk
 * @param {Action} action
 * @param {Dealt} now
 * @param {Give} give
 */
export function openAction(desk, action, now, give) {
  const { texts } = desk;
  const title = texts.say(`dealer.${action.key}`);
  const form = new Form(desk, action, now);
  action.ask?.(form);
  if (!form.parts.length && !action.grave) {
    void give([{ kind: action.kind }], title);
    return;
  }
  const refused = el("p", { class: "p-refused", role: "alert" });
  const place = el("form", { class: "p-stack" }, ...form.parts, refused);
  const opened = show({ title, body: [place], name: action.name, firm: true });

  async function act() {
    const fields = form.read();
    if (!fields) {
      refused.textContent = form.bad;
      return;
    }
    if (await give([{ kind: action.kind, ...fields }], title)) opened.close();
    else refused.textContent = document.querySelector(".p-notice.bad")?.textContent ?? "";
  }

  const cancel = el(
    "button",
    { type: "button", class: "p-button", onclick: () => opened.close() },
    texts.say("common.cancel"),
  );
  const confirm = action.grave
    ? twice(texts, title, { data: { do: "confirm" } }, () => void act())
    : el("button", { type: "submit", class: "p-button p-main", data: { do: "confirm" } }, title);
  place.append(el("div", { class: "p-actions" }, cancel, confirm));
  place.addEventListener("submit", (event) => {
    event.preventDefault();
    if (action.grave) confirm.click();
    else void act();
  });
  /** @type {HTMLElement | null} */ (place.querySelector("input,select"))?.focus();
}
