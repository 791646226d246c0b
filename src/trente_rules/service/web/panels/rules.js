/** The rules of the house in words, with their contents. */

/** @import {Context, Panel} from "./types.js" */
/** @import {Report} from "./document.js" */

import { report } from "./document.js";
import { el } from "./dom.js";
import { createLoader } from "./reading.js";

/**
 * @param {Context} context
 * @returns {Panel}
 */
export function createRulesPanel(context) {
  const { texts } = context;
  const title = el("h2", { tabindex: "-1" });
  const place = el("div", { class: "p-rules" });
  const element = el("section", {}, title, place);
  const load = createLoader(context, place);
  let shown = "";

  /** @param {HTMLElement} to */
  function jump(to) {
    to.scrollIntoView({ block: "start" });
    to.focus({ preventScroll: true });
  }

  function refresh() {
    title.textContent = texts.say("rules.title");
    if (shown === texts.language) return;
    shown = texts.language;
    void load("rules", (/** @type {Report} */ read) => {
      const drawn = report(read, {
        end: () =>
          el(
            "p",
            { class: "p-top" },
            el("button", { type: "button", class: "p-link", onclick: () => jump(title) }, texts.say("rules.top")),
          ),
      });
      return [
        el("p", { class: "p-lead" }, read.title),
        el(
          "nav",
          { "aria-label": texts.say("rules.contents"), class: "p-contents" },
          el("h3", {}, texts.say("rules.contents")),
          el(
            "ol",
            {},
            drawn.headings.map((heading) =>
              el(
                "li",
                {},
                el("button", { type: "button", class: "p-link", onclick: () => jump(heading) }, heading.textContent),
              ),
            ),
          ),
        ),
        ...drawn.parts,
        read.stamp ? el("p", { class: "p-note p-stamp" }, read.stamp) : null,
      ];
    });
  }

  return { name: "rules", element, refresh };
}
