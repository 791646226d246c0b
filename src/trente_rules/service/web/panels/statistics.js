/** The counts that players keep: the shoe, outcomes, their own coups, the net result. */

/** @import {Context, Panel} from "./types.js" */
/** @import {StatisticsReading, SumsReading} from "../trente.js" */

import { chart } from "./chart.js";
import { el, grid, pairs } from "./dom.js";
import { chanceName, net } from "./faces.js";
import { createLoader } from "./reading.js";

/**
 * @param {Context} context
 * @returns {Panel}
 */
export function createStatisticsPanel(context) {
  const { texts, money } = context;
  const title = el("h2", {});
  const place = el("div", { class: "p-stack" });
  const element = el("section", {}, title, place);
  const load = createLoader(context, place, { afterwards: true });

  /** @param {StatisticsReading} read */
  function draw(read) {
    const { shoe, taille, session } = read;
    /** @param {string} key */
    const say = (key) => texts.say(`figures.${key}`);
    /** @param {string} head @param {(sums: SumsReading) => Node | string | number | null} of */
    const both = (head, of) => [head, of(taille), of(session)];
    const heads = ["", texts.say("common.taille"), texts.say("common.session")];
    const own = [];
    if (taille.own && session.own) {
      own.push(
        el("h3", {}, say("own")),
        grid(say("own"), heads, [
          both(say("won"), (sums) => sums.own?.won ?? 0),
          both(say("lost"), (sums) => sums.own?.lost ?? 0),
          both(say("neither"), (sums) => sums.own?.neither ?? 0),
          both(say("staked"), (sums) => money.format(sums.own?.staked ?? 0)),
          both(say("net"), (sums) => net(money, sums.own?.net ?? 0)),
        ]),
      );
    }
    const { facts } = context.store.get();
    const simple = new Set(facts?.chances.filter((chance) => chance.simple).map((chance) => chance.id));
    const chances = Object.keys(session.wins).filter((chance) => simple.has(chance) || session.wins[chance]);
    return [
      chart(context, session.net_by_coup),
      ...own,
      el("h3", {}, say("outcomes")),
      grid(say("outcomes"), heads, [
        ...chances.map((chance) => both(chanceName(texts, facts, chance), (sums) => sums.wins[chance] ?? 0)),
        both(say("apres"), (sums) => sums.apres),
        both(read.refait_name || say("refait"), (sums) => sums.refaits),
        both(say("coups"), (sums) => sums.coups),
        session.voided ? both(say("void"), (sums) => sums.voided) : null,
      ].filter((row) => row !== null)),
      el("h3", {}, say("deck")),
      bar(shoe.cards_out, shoe.cards_left),
      pairs([
        [say("cards_left"), shoe.cards_left],
        [say("cards_out"), shoe.cards_out],
        [say("points_out"), shoe.points_out],
        [say("low"), shoe.low_left],
        [say("high"), shoe.high_left],
        [say("low_out"), shoe.low_out],
        [say("high_out"), shoe.high_out],
      ]),
    ];
  }

  function refresh() {
    title.textContent = texts.say("figures.title");
    void load("statistics", draw);
  }

  return { name: "statistics", element, refresh };
}

/**
 * Return a bar of how far the shoe is dealt; the figures say the same under it.
 * @param {number} out
 * @param {number} left
 */
function bar(out, left) {
  return el("progress", { class: "p-bar", max: Math.max(out + left, 1), value: out, "aria-hidden": "true" });
}
