/** What every panel does with a reading of the service: ask, wait, show, or say why not. */

/** @import {Context} from "./types.js" */

import { why } from "./api.js";
import { el, fill } from "./dom.js";

/**
 * Return the path of a reading of the table, in the language of the page.
 * @param {Pick<Context, "table" | "texts">} context
 * @param {string} path
 * @param {{[name: string]: string | number}} [parameters]
 */
export function pathOf(context, path, parameters = {}) {
  const query = new URLSearchParams({ language: context.texts.language });
  for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
  return `/api/tables/${encodeURIComponent(context.table)}/${path}?${query}`;
}

/**
 * Make a loader that fills an element; a reading that comes late, after a newer one, is dropped.
 *
 * With `afterwards` so is one that comes while cards are being shown: it would say how the coup
 * ends. What has been dropped is asked for again once they lie on the table.
 * @param {Context} context
 * @param {HTMLElement} place
 * @param {{afterwards?: boolean}} [options]
 */
export function createLoader(context, place, options = {}) {
  let newest = 0;

  /**
   * @template T
   * @param {string} path
   * @param {(read: T) => (Node | string | null | false)[]} draw
   * @param {{[name: string]: string | number}} [parameters]
   */
  return async function load(path, draw, parameters = {}) {
    newest += 1;
    const mine = newest;
    if (!place.childElementCount)
      fill(place, el("p", { class: "p-note" }, context.texts.say("common.loading")));
    place.setAttribute("aria-busy", "true");
    try {
      const read = await context.api.get(pathOf(context, path, parameters));
      if (mine !== newest || (options.afterwards && context.store.get().dealing)) return;
      const shown = focused(place);
      fill(place, ...draw(read));
      if (shown)
        /** @type {HTMLElement | null} */ (place.querySelector(`[data-focus="${shown}"]`))?.focus();
    } catch (error) {
      if (mine !== newest) return;
      fill(
        place,
        el("p", { role: "alert" }, context.texts.say("common.failed", { reason: why(error, context.texts) })),
        el(
          "button",
          { type: "button", class: "p-button", onclick: () => load(path, draw, parameters) },
          context.texts.say("common.again"),
        ),
      );
    } finally {
      if (mine === newest) place.removeAttribute("aria-busy");
    }
  };
}

/**
 * Return the mark of the element that has the focus, if it is within a place.
 * @param {HTMLElement} place
 */
function focused(place) {
  const at = document.activeElement;
  return at instanceof HTMLElement && place.contains(at) ? (at.dataset["focus"] ?? "") : "";
}
