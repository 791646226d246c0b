/** What the game is, in a few lines, and the keys. */

/** @import {Context, Panel} from "./types.js" */

import { el, fill } from "./dom.js";

/** The line about couleur and inverse. */
const COULEUR = "help.line_5";

/**
 * @param {Pick<Context, "texts"> & Partial<Pick<Context, "keys" | "store">>} context
 * @returns {Panel}
 */
export function createHelpPanel(context) {
  const { texts } = context;
  const element = el("section", {});

  function refresh() {
    /** @type {[string, string][]} */
    const keys = [
      ...(context.keys?.list() ?? []).map(
        /** @returns {[string, string]} */ (key) => [key.key, key.label()],
      ),
      ["1 – 9", texts.say("help.key_choice")],
      ["↑ ↓ ← →", texts.say("help.key_panels")],
      ["Esc", texts.say("help.key_escape")],
    ];
    const chances = context.store?.get().facts?.chances ?? [];
    const lines = Array.from({ length: 10 }, (_each, at) => `help.line_${at + 1}`).filter(
      // some houses have rouge and noir alone
      (key) => key !== COULEUR || !chances.length || chances.some((chance) => chance.id === "couleur"),
    );
    fill(
      element,
      el("h2", {}, texts.say("help.title")),
      el(
        "ol",
        { class: "p-ten" },
        lines.map((key) => el("li", {}, texts.say(key))),
      ),
      el("p", {}, texts.say("help.exceptions", { rules: texts.say("tabs.rules") })),
      el("h3", {}, texts.say("help.keys")),
      el("dl", { class: "p-pairs keys" }, keys.map(([key, label]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, label)))),
    );
  }

  return { name: "help", element, refresh };
}
