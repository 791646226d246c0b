/** The score card of the taille, as players prick it. */

/** @import {Context, Panel} from "./types.js" */
/** @import {CardReading} from "../trente.js" */

import { el, scroller } from "./dom.js";
import { createLoader } from "./reading.js";

/** What is drawn for a mark, and the key of its word. */
const MARKS = /** @type {const} */ ({
  win: ["●", "scorecard.won"],
  "": ["", ""],
  refait: ["×", "scorecard.refait"],
  unknown: ["?", "scorecard.unknown"],
});

/**
 * @param {Context} context
 * @returns {Panel}
 */
export function createCardPanel(context) {
  const { texts } = context;
  const title = el("h2", {});
  const place = el("div", {});
  const element = el("section", {}, title, place);
  const load = createLoader(context, place, { afterwards: true });
  let following = true;

  /** @param {CardReading} read */
  function draw(read) {
    if (!read.rows.length) return [el("p", { class: "p-note" }, texts.say("scorecard.none"))];
    const heads = read.letters.map((letter, at) =>
      el(
        "th",
        { scope: "col", class: at % 2 ? "" : "pair" },
        el("span", { "aria-hidden": "true" }, letter),
        el("span", { class: "p-hidden" }, texts.chance(read.columns[at] ?? letter)),
      ),
    );
    const rows = read.rows.map((row) =>
      el(
        "tr",
        { data: { coup: row.coup, tie: row.tie } },
        el("th", { scope: "row" }, row.coup),
        row.marks.map((mark, at) => {
          const [sign, key] = MARKS[mark];
          const column = read.columns[at] ?? "";
          return el(
            "td",
            { class: `box ${column}${at % 2 ? "" : " pair"}`, data: { mark } },
            el("span", { "aria-hidden": "true" }, sign),
            el("span", { class: "p-hidden" }, key ? texts.say(key) : ""),
          );
        }),
        el("td", { class: "points" }, row.points.join(" ")),
        el("td", { class: "tie" }, row.tie ? texts.say(`scorecard.${row.tie}`) : ""),
      ),
    );
    return [
      scroller(
        texts.say("scorecard.title"),
        "p-card-scroll",
        el(
          "table",
          { class: "p-card" },
          el("caption", {}, texts.say("scorecard.taille", { number: read.shoe })),
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "col" }, el("span", { class: "p-hidden" }, texts.say("common.coup"))),
              heads,
              el("th", { scope: "col", class: "points" }, texts.say("common.points")),
              el("td", {}),
            ),
          ),
          el("tbody", {}, rows),
        ),
      ),
      el("p", { class: "p-note" }, texts.say("scorecard.legend")),
    ];
  }

  function refresh() {
    title.textContent = texts.say("scorecard.title");
    void load("card", draw).then(() => {
      const scroll = place.querySelector(".p-card-scroll");
      if (scroll && following) scroll.scrollTop = scroll.scrollHeight;
    });
  }

  place.addEventListener(
    "scroll",
    (event) => {
      const at = /** @type {HTMLElement} */ (event.target);
      following = at.scrollTop + at.clientHeight >= at.scrollHeight - 8;
    },
    true,
  );
  return { name: "card", element, refresh };
}
