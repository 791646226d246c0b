/** The net result after each coup as a line, with the same as a table beside it. */

/** @import {Context} from "./types.js" */
/** @import {NetStep} from "../trente.js" */

import { el, fresh, grid, svg } from "./dom.js";
import { net } from "./faces.js";

const WIDTH = 320;
const HEIGHT = 190;
const LEFT = 60;
const RIGHT = 8;
const TOP = 10;
const FOOT = 24;

/**
 * Return round values for an axis, with zero among them.
 * @param {number} low
 * @param {number} high
 * @param {number} [most]
 */
export function ticks(low, high, most = 5) {
  const span = Math.max(high - low, 1);
  const rough = span / (most - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power);
  const made = [];
  for (let at = Math.floor(low / step) * step; at < high + step; at += step) made.push(at);
  return made;
}

/**
 * Return the chart of the results of a player.
 * @param {Context} context
 * @param {readonly NetStep[]} steps
 */
export function chart(context, steps) {
  const { texts, money } = context;
  const heading = el("h3", {}, texts.say("figures.chart"));
  if (!steps.length)
    return el(
      "div",
      { class: "p-chart", data: { panel: "chart" } },
      heading,
      el("p", { class: "p-note" }, texts.say("figures.chart_none")),
    );
  const totals = steps.map((step) => step.total);
  const start = (totals[0] ?? 0) - (steps[0]?.net ?? 0);
  const values = [start, ...totals];
  const high = Math.max(0, ...values);
  const low = Math.min(0, ...values);
  const marks = ticks(low, high);
  const bottom = marks[0] ?? 0;
  const top = marks.at(-1) ?? 1;
  /** @param {number} at */
  const x = (at) => LEFT + (at / Math.max(values.length - 1, 1)) * (WIDTH - LEFT - RIGHT);
  /** @param {number} value */
  const y = (value) => TOP + ((top - value) / (top - bottom || 1)) * (HEIGHT - TOP - FOOT);
  const line = values.map((value, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
  const name = fresh("chart");
  const every = Math.max(1, Math.ceil(steps.length / 6));
  const last = totals.at(-1) ?? 0;
  const words = texts.say("figures.chart_text", {
    first: money.signed(start),
    last: money.signed(last),
    count: steps.length,
    high: money.signed(Math.max(...values)),
    low: money.signed(Math.min(...values)),
  });
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": name, class: "p-drawing" },
    svg("title", { id: name }, words),
    ...marks.map((mark) =>
      svg(
        "g",
        {},
        svg("line", {
          x1: LEFT,
          x2: WIDTH - RIGHT,
          y1: y(mark),
          y2: y(mark),
          class: mark === 0 ? "zero" : "rule",
        }),
        svg("text", { x: LEFT - 6, y: y(mark) + 3.5, "text-anchor": "end" }, money.format(mark)),
      ),
    ),
    ...steps.map((step, at) =>
      at % every === 0 || at === steps.length - 1
        ? svg("text", { x: x(at + 1), y: HEIGHT - 6, "text-anchor": "middle" }, step.coup)
        : null,
    ),
    svg("path", {
      d: `${line.join("")}L${x(values.length - 1).toFixed(1)} ${y(0).toFixed(1)}L${x(0)} ${y(0).toFixed(1)}Z`,
      class: "area",
    }),
    svg("path", { d: line.join(""), class: "line" }),
    svg("circle", { cx: x(values.length - 1), cy: y(last), r: 3.5, class: last < 0 ? "end loss" : "end" }),
  );
  return el(
    "div",
    { class: "p-chart", data: { panel: "chart" } },
    heading,
    drawing,
    el("p", { class: "p-note", "aria-hidden": "true" }, words),
    el(
      "details",
      {},
      el("summary", {}, texts.say("figures.chart_table")),
      grid(
        texts.say("figures.chart"),
        [texts.say("common.coup"), texts.say("common.result"), texts.say("common.net")],
        steps.map((step) => [
          texts.say("common.coup_of", { shoe: step.shoe, coup: step.coup }),
          net(money, step.net),
          net(money, step.total),
        ]),
      ),
    ),
  );
}
