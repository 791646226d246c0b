/** The coups of the session: what was dealt, what it was for the player, and each once more. */

/** @import {Context, Panel} from "./types.js" */
/** @import {CoupReading} from "../trente.js" */

import { el } from "./dom.js";
import { net, rowLine } from "./faces.js";
import { icon } from "./icons.js";
import { createLoader } from "./reading.js";
import { openReplay } from "./replay.js";

const PAGE = 40;

/**
 * @param {Context} context
 * @returns {Panel}
 */
export function createHistoryPanel(context) {
  const { texts } = context;
  const title = el("h2", {});
  const place = el("div", { class: "p-history" });
  const element = el("section", {}, title, place);
  const load = createLoader(context, place, { afterwards: true });
  let asked = PAGE;

  function refresh() {
    title.textContent = texts.say("history.title");
    void load(
      "history",
      (/** @type {CoupReading[]} */ coups) => {
        const begun = coups.filter((coup) => coup.first.cards.length || coup.status === "void");
        if (!begun.length) return [el("p", { class: "p-note" }, texts.say("history.none"))];
        return [
          el(
            "ol",
            { class: "p-coups" },
            begun.toReversed().map((coup) => item(context, coup)),
          ),
          coups.length >= asked
            ? el(
                "button",
                {
                  type: "button",
                  class: "p-button",
                  onclick() {
                    asked += PAGE;
                    refresh();
                  },
                },
                texts.say("history.earlier"),
              )
            : null,
        ];
      },
      { coups: asked },
    );
  }

  return { name: "history", element, refresh };
}

/**
 * @param {Context} context
 * @param {CoupReading} coup
 */
function item(context, coup) {
  const { texts, money } = context;
  const where = texts.say("common.coup_of", { shoe: coup.shoe, coup: coup.coup });
  const key = `${coup.shoe}/${coup.coup}`;
  return el(
    "li",
    { class: "p-coup", data: { shoe: coup.shoe, coup: coup.coup, status: coup.status } },
    el(
      "div",
      { class: "p-coup-head" },
      el("h3", {}, where),
      coup.net === null ? null : net(money, coup.lines.length ? coup.net : null),
      coup.corrected
        ? el("span", { class: "p-badge" }, texts.say("common.corrected"))
        : null,
    ),
    coup.first.cards.length ? rowLine(texts, coup.first, coup.winners.includes(coup.first.colour)) : null,
    coup.second.cards.length
      ? rowLine(texts, coup.second, coup.winners.includes(coup.second.colour))
      : null,
    el("p", { class: "p-outcome" }, coup.void || coup.outcome),
    coup.lines.length
      ? el(
          "ul",
          { class: "p-lines" },
          coup.lines.map((line) => el("li", {}, line.text)),
        )
      : null,
    el(
      "button",
      {
        type: "button",
        class: "p-button p-small",
        data: { do: "replay", focus: `replay-${key}` },
        onclick: () => openReplay(context, coup),
      },
      icon("play"),
      texts.say("history.replay"),
      el("span", { class: "p-hidden" }, ` ${where}`),
    ),
  );
}

