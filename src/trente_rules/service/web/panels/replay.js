/** One coup once more, card by card, as the viewer saw it. */

/** @import {Context} from "./types.js" */
/** @import {CoupReading, ReplayReading} from "../trente.js" */

import { pointsOf } from "../scene.js";
import { why } from "./api.js";
import { show } from "./dialog.js";
import { el, fill } from "./dom.js";
import { face, net } from "./faces.js";
import { icon } from "./icons.js";
import { pathOf } from "./reading.js";

/**
 * What is seen after a step: so many cards of each row, what was called last, whether it is over.
 * @typedef {{first: number, second: number, said: [string, string] | null, over: boolean}} Step
 */

/**
 * Return the steps of a coup from its events: one for each card, each call, and its end.
 * @param {ReplayReading} read
 * @returns {Step[]}
 */
export function stepsOf(read) {
  /** @type {Step} */
  let now = { first: 0, second: 0, said: null, over: false };
  const steps = [now];
  for (const event of read.events) {
    const said = read.said[String(event.index)];
    if (event.kind === "card-turned") now = { ...now, [event.row]: now[event.row] + 1 };
    else if (event.kind === "cards-retracted") {
      const left = event.exposed ? now[event.row] : Math.max(0, now[event.row] - event.cards.length);
      now = { ...now, [event.row]: left };
    } else if (said) now = { ...now, said };
    else if (event.kind === "coup-settled" || event.kind === "coup-voided")
      now = { ...now, over: true };
    else continue;
    steps.push(now);
  }
  const { first, second } = read.coup;
  steps.push({ ...now, first: first.cards.length, second: second.cards.length, over: true });
  return steps;
}

/** Milliseconds between two steps: a replay is never all at once. */
const PACE = { slow: 1400, normal: 800, fast: 350, once: 350 };

/**
 * Open the replay of a coup.
 * @param {Context} context
 * @param {CoupReading} coup
 */
export async function openReplay(context, coup) {
  const { texts } = context;
  const where = { shoe: coup.shoe, coup: coup.coup };
  const place = el("div", { class: "p-replay" });
  const opened = show({
    title: texts.say("history.replay_of", where),
    body: [place],
    name: "replay",
    class: "wide",
  });
  const stop = new AbortController();
  void opened.closed.then(() => stop.abort());
  fill(place, el("p", { class: "p-note" }, texts.say("common.loading")));
  try {
    const path = pathOf(context, `history/${coup.shoe}/${coup.coup}`);
    const read = /** @type {ReplayReading} */ (await context.api.get(path));
    if (!stop.signal.aborted) player(context, place, read, stop.signal, opened.close);
  } catch (error) {
    fill(place, el("p", { role: "alert" }, why(error, texts)));
  }
}

/**
 * @param {Context} context
 * @param {HTMLElement} place
 * @param {ReplayReading} read
 * @param {AbortSignal} signal
 * @param {() => void} close
 */
function player(context, place, read, signal, close) {
  const { texts, settings, money } = context;
  const steps = stepsOf(read);
  let at = 0;
  /** @type {number | undefined} */
  let timer;
  const rows = el("div", { class: "p-replay-rows" });
  const calls = el("p", { class: "p-replay-call", "aria-live": "polite" });
  const meter = el("input", {
    type: "range",
    min: 0,
    max: steps.length - 1,
    value: 0,
    class: "p-meter",
    "aria-label": texts.say("history.step_of", { number: 1, count: steps.length }),
    oninput() {
      pause();
      go(Number(meter.value));
    },
  });
  const toggle = button("play", "history.play", () => (timer ? pause() : play()));

  /**
   * @param {string} sign
   * @param {string} key
   * @param {() => void} press
   */
  function button(sign, key, press) {
    return el(
      "button",
      { type: "button", class: "p-button", "aria-label": texts.say(key), onclick: press },
      icon(sign),
    );
  }

  /** @param {number} to */
  function go(to) {
    at = Math.min(Math.max(to, 0), steps.length - 1);
    const step = /** @type {Step} */ (steps[at]);
    const { coup } = read;
    fill(
      rows,
      row(coup.first, step.first, coup.winners.includes(coup.first.colour) && step.over),
      row(coup.second, step.second, coup.winners.includes(coup.second.colour) && step.over),
    );
    const [house, own] = step.said ?? ["", ""];
    fill(
      calls,
      el("strong", { lang: context.store.get().facts?.language ?? null }, house || "\u00a0"),
      own && own !== house ? el("span", {}, own) : null,
      step.over ? el("span", { class: "p-outcome" }, coup.void || coup.outcome) : null,
      step.over && coup.lines.length ? net(money, coup.net) : null,
    );
    meter.value = String(at);
    const said = texts.say("history.step_of", { number: at + 1, count: steps.length });
    meter.setAttribute("aria-label", said);
    meter.setAttribute("aria-valuetext", said);
  }

  /**
   * @param {CoupReading["first"]} of
   * @param {number} count
   * @param {boolean} won
   */
  function row(of, count, won) {
    const shown = of.cards.slice(0, count);
    return el(
      "div",
      { class: `p-replay-row ${of.colour}${won ? " won" : ""}`, data: { row: of.colour } },
      el("span", { class: "p-row-name" }, texts.chance(of.colour)),
      el("div", { class: "p-replay-cards" }, ...shown.map(context.card ?? face)),
      el("span", { class: "p-point" }, shown.length ? String(pointsOf(shown)) : ""),
    );
  }

  function tick() {
    go(at + 1);
    if (at === steps.length - 1) pause();
    else timer = window.setTimeout(tick, pace());
  }

  const pace = () => PACE[settings.get().pace];

  function play() {
    if (at === steps.length - 1) go(0);
    timer = window.setTimeout(tick, pace());
    relabel("pause");
  }

  function pause() {
    window.clearTimeout(timer);
    timer = undefined;
    relabel("play");
  }

  /** @param {"play" | "pause"} to */
  function relabel(to) {
    toggle.setAttribute("aria-label", texts.say(`history.${to}`));
    fill(toggle, icon(to));
  }

  signal.addEventListener("abort", () => window.clearTimeout(timer));
  fill(
    place,
    rows,
    calls,
    meter,
    el(
      "div",
      { class: "p-actions centre" },
      button("start", "history.start", () => (pause(), go(0))),
      button("back", "history.back", () => (pause(), go(at - 1))),
      toggle,
      button("next", "history.step", () => (pause(), go(at + 1))),
      el(
        "button",
        { type: "button", class: "p-button p-main", onclick: () => close() },
        texts.say("common.close"),
      ),
    ),
  );
  go(0);
  toggle.focus();
  play();
}
