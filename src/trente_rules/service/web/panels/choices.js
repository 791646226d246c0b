/** The choice at a refait: each course in plain words, with what it is worth exactly. */

/** @import {Context} from "./types.js" */
/** @import {ChoiceReading, CourseReading} from "../trente.js" */

import { why } from "./api.js";
import { show } from "./dialog.js";
import { announce, el, fill, fresh } from "./dom.js";
import { pathOf } from "./reading.js";

/**
 * Ask for the choices that are offered, once the cards of the coup are on the table.
 * @param {Context} context
 */
export function watchChoices(context) {
  const { store, texts } = context;
  /** @type {{close: () => void} | null} */
  let opened = null;
  let asking = false;
  /** The round in which the dialog was put off. */
  let later = "";

  const recall = el("button", {
    type: "button",
    class: "p-recall p-button p-main",
    hidden: true,
    data: { do: "choose" },
    onclick() {
      later = "";
      void look();
    },
  });
  document.body.append(recall);

  function waiting() {
    const { shown, dealing } = store.get();
    return (
      !dealing &&
      shown.offers.some(
        ({ stake, verdict }) =>
          !shown.choices.some((each) => each.stake === stake.id && each.verdict === verdict),
      )
    );
  }

  async function look() {
    const { round } = store.get().shown;
    const wanted = waiting();
    // Where the service deals, the felt has a button of its own for it.
    const elsewhere = store.get().clock?.waits_for === "choices";
    recall.hidden = !wanted || opened !== null || elsewhere;
    recall.textContent = texts.say("live.your_choice");
    if (!wanted) {
      opened?.close();
      return;
    }
    if (opened || asking || later === round) return;
    asking = true;
    try {
      const path = pathOf(context, "choices");
      const read = /** @type {ChoiceReading[]} */ (await context.api.get(path));
      const open = read.filter((choice) => !choice.chosen);
      if (!open.length || !waiting()) return;
      announce(texts.say("live.your_choice"));
      const put = choiceDialog(context, open);
      opened = put;
      recall.hidden = true;
      const done = await put.closed;
      opened = null;
      if (done !== "done" && waiting()) later = round;
    } catch (error) {
      announce(why(error, texts));
      later = round;
    } finally {
      asking = false;
    }
    if (waiting()) void look();
  }

  const unsubscribe = store.subscribe((_now, change) => {
    if (change.kind === "ask") later = "";
    if (["shown", "state", "event", "ask"].includes(change.kind)) void look();
  });
  void look();
  return {
    stop() {
      unsubscribe();
      opened?.close();
      recall.remove();
    },
  };
}

/**
 * Open the dialog of the choices, one stake after another.
 * @param {Context} context
 * @param {readonly ChoiceReading[]} choices
 */
function choiceDialog(context, choices) {
  const { texts, connection, store } = context;
  const place = el("form", { class: "p-choice", method: "dialog" });
  const opened = show({
    title: texts.say("choice.title"),
    body: [place],
    name: "choices",
    class: "wide",
    firm: true,
  });
  const clock = el("p", { class: "p-clock", role: "timer" });
  let at = 0;
  let ends = deadline();

  function deadline() {
    const { clock } = store.get();
    return clock?.waits_for === "choices" ? (clock.until ?? 0) : 0;
  }

  function tick() {
    const seconds = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
    clock.hidden = !ends;
    if (!ends) return;
    const text = texts.say(seconds === 1 ? "choice.left_one" : "choice.left", { seconds });
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("urgent", seconds <= 5);
  }

  const timer = setInterval(tick, 250);
  const unsubscribe = store.subscribe((_now, change) => {
    if (change.kind === "clock") ends = deadline();
  });
  void opened.closed.then(() => {
    clearInterval(timer);
    unsubscribe();
  });

  function next() {
    const choice = choices[at];
    if (!choice) {
      opened.close("done");
      return;
    }
    fill(place, ...question(choice));
    tick();
    const first = place.querySelector("input:checked") ?? place.querySelector("input");
    /** @type {HTMLElement | null} */ (first)?.focus();
  }

  /** @param {ChoiceReading} choice */
  function question(choice) {
    const name = fresh("course");
    const left = choices.length - at;
    const refused = el("p", { class: "p-refused", role: "alert" });
    const preferred = best(choice);
    const courses = choice.courses.map((course, place) =>
      courseCard(context, choice, course, name, place, course === preferred),
    );
    const take = el(
      "button",
      { type: "submit", class: "p-button p-main", data: { do: "take" } },
      preferred ? texts.say("choice.take", { course: preferred.name }) : texts.say("choice.title"),
    );
    const held = el("button", {
      type: "button",
      class: "p-button",
      data: { do: "later" },
      onclick: () => opened.close(""),
    }, texts.say("choice.later"));

    function picked() {
      return choice.courses.find(
        (course) => /** @type {any} */ (place.elements.namedItem(name)).value === course.course,
      );
    }

    place.onchange = () => {
      const course = picked();
      if (course) take.textContent = texts.say("choice.take", { course: course.name });
    };
    place.onkeydown = (event) => {
      const number = Number(event.key);
      const input = /** @type {HTMLInputElement | undefined} */ (
        place.querySelectorAll("input[type=radio]")[number - 1]
      );
      if (!input || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (input.checked) {
        place.requestSubmit(take);
        return;
      }
      input.checked = true;
      input.focus();
      place.dispatchEvent(new Event("change"));
    };
    place.onsubmit = async (event) => {
      event.preventDefault();
      const course = picked();
      if (!course || take.disabled) return;
      take.disabled = true;
      try {
        await connection.send({
          kind: "choose",
          stake: choice.stake,
          course: course.course,
          state: choice.state,
          verdict: choice.verdict,
        });
        announce(texts.say("choice.done", { course: course.name }));
        at += 1;
        next();
      } catch (error) {
        take.disabled = false;
        refused.textContent = why(error, texts);
      }
    };
    return [
      left > 1 ? el("p", { class: "p-note" }, texts.count("choice.more", left)) : null,
      el(
        "fieldset",
        { data: { stake: choice.stake } },
        el("legend", {}, choice.question),
        el("div", { class: "p-courses" }, courses),
      ),
      clock,
      refused,
      el("p", { class: "p-note p-keys" }, texts.say("choice.keys", { count: courses.length })),
      el("div", { class: "p-actions" }, held, take),
    ];
  }

  next();
  return { close: () => opened.close("done"), closed: opened.closed };
}

/**
 * Return the course to begin with: the best, among equals the one that happens by itself; never a
 * dearer one, and none where the worth is not known.
 * @param {ChoiceReading} choice
 */
export function best(choice) {
  const good = choice.courses.filter((course) => course.best);
  return good.find((course) => course.default) ?? good[0] ?? null;
}

/**
 * @param {Context} context
 * @param {ChoiceReading} choice
 * @param {CourseReading} course
 * @param {string} name
 * @param {number} place
 * @param {boolean} checked
 */
function courseCard(context, choice, course, name, place, checked) {
  const { texts } = context;
  const language = context.store.get().facts?.language;
  const equals = choice.courses.filter((each) => each.best).length > 1;
  const id = fresh("course");
  const badges = [];
  if (course.best) badges.push(el("span", { class: "p-badge good" }, texts.say(equals ? "choice.equal" : "choice.best")));
  if (course.default) badges.push(el("span", { class: "p-badge" }, texts.say("choice.default")));
  return el(
    "label",
    { class: "p-course", for: id, data: { course: course.course, worth: course.worth } },
    el("input", { type: "radio", id, name, value: course.course, checked, required: true }),
    el(
      "span",
      { class: "p-course-text" },
      el(
        "span",
        { class: "p-course-name" },
        el("kbd", { "aria-hidden": "true" }, place + 1),
        el("strong", {}, course.name),
        ...badges,
      ),
      el("span", { class: "p-course-now" }, course.sentence || course.moves.join(", ")),
      course.call
        ? el("span", { class: "p-call", lang: language ?? null }, texts.say("choice.call", { call: course.call }))
        : null,
    ),
    course.worth
      ? el(
          "span",
          { class: "p-course-worth" },
          el("strong", {}, texts.say("choice.worth", { amount: course.worth_text })),
          el("span", { class: "p-note" }, ...exactly(texts, course.worth, choice.amount)),
        )
      : null,
  );
}

/**
 * Return the worth as a part of the stake: exact where the fraction can be read, and otherwise to
 * six places.
 * @param {Context["texts"]} texts
 * @param {string} worth
 * @param {number} amount
 */
function exactly(texts, worth, amount) {
  const share = shareOf(worth, amount);
  if (share.length <= READABLE) return [texts.say("choice.exact", { share })];
  const [above = "0", below = "1"] = share.split("/");
  const millionths = (BigInt(above) * 2_000_000n + BigInt(below)) / (2n * BigInt(below));
  const number = new Intl.NumberFormat(texts.language, { minimumFractionDigits: 6 });
  return [texts.say("choice.about", { share: number.format(Number(millionths) / 1e6) })];
}

/** The longest fraction that is written out, in signs. */
const READABLE = 11;

/**
 * Return a worth in units as an exact part of the stake: `69/80`, `1/2`, `1`.
 * @param {string} worth a fraction of whole numbers
 * @param {number} amount
 */
export function shareOf(worth, amount) {
  const [above = "0", below = "1"] = worth.split("/");
  let numerator = BigInt(above);
  let denominator = BigInt(below) * BigInt(amount);
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b) [a, b] = [b, a % b];
  if (a) {
    numerator /= a;
    denominator /= a;
  }
  return denominator === 1n ? String(numerator) : `${numerator}/${denominator}`;
}
