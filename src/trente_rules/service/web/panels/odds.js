/** The odds of the next coup, exact, when they are asked for. */

/** @import {Context, Panel} from "./types.js" */
/** @import {ChanceOdds, OddsReading, PartText} from "../trente.js" */

import { el, fill, grid, svg } from "./dom.js";
import { createLoader } from "./reading.js";

/**
 * @param {Context} context
 * @returns {Panel}
 */
export function createOddsPanel(context) {
  const { texts, settings, store } = context;
  const title = el("h2", {});
  const place = el("div", { class: "p-stack", "aria-live": "polite" });
  const asking = el("div", { class: "p-asking" });
  const element = el("section", {}, title, asking, place);
  const load = createLoader(context, place);
  let asked = false;
  /** What the shown odds are of: the cards left, and the language they are in. */
  let shown = "";

  const now = () => `${store.get().shown.left ?? ""}/${store.get().shown.round}/${texts.language}`;

  function read() {
    asked = true;
    shown = now();
    void load("odds", (/** @type {OddsReading} */ odds) => draw(context, odds));
    controls();
  }

  function controls() {
    const always = el("input", {
      type: "checkbox",
      checked: settings.get().odds,
      data: { setting: "odds", focus: "odds-always" },
      onchange() {
        settings.set({ odds: always.checked });
        if (always.checked) read();
      },
    });
    const old = asked && shown !== now();
    fill(
      asking,
      !asked || old
        ? el(
            "button",
            { type: "button", class: "p-button p-main", data: { do: "odds" }, onclick: read },
            texts.say(old ? "odds.renew" : "odds.ask"),
          )
        : null,
      old ? el("span", { class: "p-note" }, texts.say("odds.old")) : null,
      el("label", { class: "p-check" }, always, el("span", {}, texts.say("odds.auto"))),
    );
  }

  function refresh() {
    title.textContent = texts.say("odds.title");
    if (settings.get().odds && shown !== now()) read();
    else if (asked && !shown.endsWith(`/${texts.language}`)) read();
    else controls();
  }

  return { name: "odds", element, refresh };
}

/**
 * @param {Context} context
 * @param {OddsReading} read
 */
function draw(context, read) {
  const { texts } = context;
  /** @param {string} key */
  const say = (key) => texts.say(`odds.${key}`);
  const known = context.store.get().facts?.chances ?? [];
  /** @param {ChanceOdds} chance */
  const plain = (chance) => known.find((each) => each.id === chance.chance)?.simple ?? true;
  const simple = read.chances.filter(plain);
  const side = read.chances.filter((chance) => !plain(chance));
  /** @type {[string, (chance: ChanceOdds) => PartText | null][]} */
  const figures = [
    ["win", (chance) => chance.win],
    ["lose", (chance) => chance.lose],
    ["apres", (chance) => chance.apres],
    ["refait", (chance) => chance.refait],
    ["edge", (chance) => chance.edge],
  ];
  if (simple.some((chance) => chance.insured)) figures.push(["insured", (chance) => chance.insured]);
  return [
    el("p", { class: "p-lead" }, texts.count("odds.unseen", read.cards)),
    el("div", { class: "p-shares", "aria-hidden": "true" }, simple.map((chance) => share(chance))),
    el(
      "p",
      { class: "p-key", "aria-hidden": "true" },
      ["win", "apres", "refait", "lose"].map((kind) =>
        el("span", { class: kind }, el("i", {}), say(kind)),
      ),
    ),
    grid(
      say("title"),
      ["%", ...simple.map((chance) => chance.name)],
      figures.map(([key, part]) => [say(key), ...simple.map((chance) => bare(part(chance)))]),
      { class: "p-odds" },
    ),
    side.length ? el("h3", {}, texts.say("odds.side")) : null,
    side.length
      ? grid(
          texts.say("odds.side"),
          [texts.say("common.chance"), say("win"), say("edge")],
          side.map((chance) => [chance.name, chance.win.text, chance.edge.text]),
          { class: "p-odds" },
        )
      : null,
    ...insurance(context, read),
    read.edge_holds ? el("p", { class: "p-note" }, read.edge_holds) : null,
    el("p", { class: "p-note" }, say("note")),
  ];
}

/**
 * Return a figure without its per cent sign: that is the head of the table.
 * @param {PartText | null} part
 */
function bare(part) {
  return part ? part.text.replace(/\s*%$/u, "") : "–";
}

/**
 * Return whether insurance is worth its premium now, once for all chances where they agree, and
 * for which stakes that holds: a least premium makes it dear for others.
 * @param {Context} context
 * @param {OddsReading} read
 */
function insurance(context, { chances, insured_holds: holds }) {
  const { texts } = context;
  const sold = chances.filter((chance) => chance.insure !== null && chance.gain);
  if (!sold.length) return [el("p", {}, texts.say("odds.no_insurance"))];
  const agree = sold.every((chance) => chance.insure === sold[0]?.insure);
  return (agree ? sold.slice(0, 1) : sold).map((chance) => {
    const gain = (chance.gain?.text ?? "").replace(/^[-−+]/u, "");
    const words = texts.say(chance.insure ? "odds.worth" : "odds.not_worth", { gain });
    return el(
      "p",
      { class: `p-verdict ${chance.insure ? "good" : "bad"}`, data: { insure: chance.insure } },
      agree ? words : `${chance.name}: ${words}`,
      holds ? el("span", { class: "p-note" }, ` (${holds})`) : null,
    );
  });
}

/**
 * Return a bar of what may happen to a chance; the table says the same in figures.
 * @param {ChanceOdds} chance
 */
function share(chance) {
  let left = 0;
  const parts = /** @type {const} */ (["win", "apres", "refait", "lose"]).map((kind) => {
    const width = Number(chance[kind].value) * 100;
    const part = svg("rect", { x: left, y: 0, width, height: 8, class: kind });
    left += width;
    return part;
  });
  return el(
    "div",
    { class: "p-share" },
    el("span", {}, chance.name),
    svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none" }, ...parts),
  );
}
