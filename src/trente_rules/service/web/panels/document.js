/** A report of the library as elements: headings, paragraphs, lists, tables; never HTML. */

import { el, fresh, grid } from "./dom.js";

/** @typedef {string | string[] | Grid | Section} Part */
/** @typedef {{title: string, columns: string[], rows: (string | number | null)[][]}} Grid */
/** @typedef {{title: string, parts: Part[]}} Section */
/** @typedef {{title: string, stamp?: string, parts: Part[]}} Report */

/**
 * Return the parts of a report, with the headings of its sections for a table of contents.
 * @param {Report} report
 * @param {{level?: number, end?: () => Node}} [options] `end` is put at the end of each section
 */
export function report(report, options = {}) {
  /** @type {HTMLElement[]} */
  const headings = [];
  const level = options.level ?? 3;

  /** @param {Part} part @param {number} depth @returns {HTMLElement | null} */
  function draw(part, depth) {
    if (typeof part === "string") return el("p", {}, part);
    if (Array.isArray(part)) {
      return part.length ? el("ul", {}, part.map((line) => el("li", {}, line))) : null;
    }
    if ("columns" in part) {
      return grid(part.title, part.columns, part.rows.map((row) => row.map(cell)), { hidden: !part.title });
    }
    const heading = el(tag(depth), { id: fresh("section"), tabindex: "-1" }, part.title);
    if (depth === level) headings.push(heading);
    return el(
      "section",
      {},
      heading,
      part.parts.map((each) => draw(each, depth + 1)),
      depth === level ? options.end?.() : null,
    );
  }

  return { parts: report.parts.map((part) => draw(part, level)), headings };
}

/** @param {number} depth */
function tag(depth) {
  return /** @type {"h3" | "h4" | "h5" | "h6"} */ (`h${Math.min(depth, 6)}`);
}

/** @param {string | number | null} value */
function cell(value) {
  if (value === null) return "–";
  return typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(6) : value;
}
