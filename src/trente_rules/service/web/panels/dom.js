/** Elements of the page, made without any HTML in texts. */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {string | number | boolean | null | undefined | ((event: any) => void) | {[name: string]: string | number | boolean | null | undefined}} Value */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Set attributes: `on…` are listeners, `data` a dictionary, `class` a class, false leaves it out.
 * @param {Element} element
 * @param {{[name: string]: Value}} given
 */
function attributes(element, given) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "object") {
      for (const [key, each] of Object.entries(value)) {
        if (each !== null && each !== undefined && each !== false)
          element.setAttribute(`data-${key}`, String(each));
      }
    } else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * Make an element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {{[name: string]: Value}} [given]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  attributes(made, given);
  append(made, ...children);
  return made;
}

/**
 * Make an element of a drawing.
 * @param {string} tag
 * @param {{[name: string]: Value}} [given]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, given = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  attributes(made, given);
  append(made, ...children);
  return made;
}

/**
 * Append children; what is nothing is left out.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function append(parent, ...children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Put other children in the place of those there are.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, ...children);
}

let drawn = 0;

/**
 * Return an id that no other element has.
 * @param {string} stem
 */
export function fresh(stem) {
  drawn += 1;
  return `${stem}-${drawn}`;
}

/**
 * Return a field with its label over it.
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control
 * @param {string} [note]
 */
export function labelled(label, control, note = "") {
  control.id ||= fresh("field");
  const hint = note ? el("span", { class: "p-note", id: `${control.id}-note` }, note) : null;
  if (hint) control.setAttribute("aria-describedby", hint.id);
  return el("div", { class: "p-field" }, el("label", { for: control.id }, label), control, hint);
}

/**
 * Return a field of a choice among a few.
 * @param {readonly (readonly [string, string])[]} options value and text
 * @param {string} chosen
 * @param {(value: string) => void} [changed]
 * @param {{[name: string]: Value}} [given]
 */
export function select(options, chosen, changed, given = {}) {
  const made = el(
    "select",
    given,
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)),
  );
  if (changed) made.addEventListener("change", () => changed(made.value));
  return made;
}

/**
 * Return a place that scrolls what is too large for it: then, and only then, a keyboard gets there.
 * @param {string} name
 * @param {string} kind a class of its own
 * @param {...Child} children
 */
export function scroller(name, kind, ...children) {
  const made = el("div", { class: `p-scroll ${kind}`.trim() }, ...children);
  new ResizeObserver(() => {
    const over = made.scrollWidth > made.clientWidth || made.scrollHeight > made.clientHeight;
    if (over) {
      made.tabIndex = 0;
      made.setAttribute("role", name ? "region" : "group"); // a landmark needs a name
      if (name) made.setAttribute("aria-label", name);
    } else {
      for (const attribute of ["tabindex", "role", "aria-label"]) made.removeAttribute(attribute);
    }
  }).observe(made);
  return made;
}

/**
 * Return a table: headings, and rows whose first cell is a heading of its row.
 * @param {string} caption
 * @param {readonly (string | Node)[]} heads
 * @param {readonly (readonly Child[])[]} rows
 * @param {{class?: string, numbers?: boolean, hidden?: boolean}} [options]
 */
export function grid(caption, heads, rows, options = {}) {
  const numbers = options.numbers ?? true;
  return scroller(
    caption,
    "",
    el(
      "table",
      { class: `p-table ${options.class ?? ""}`.trim() },
      el("caption", { class: options.hidden === false ? "" : "p-hidden" }, caption),
      heads.length
        ? el(
            "thead",
            {},
            el(
              "tr",
              {},
              heads.map((head, place) =>
                head === ""
                  ? el("td", {})
                  : el("th", { scope: "col", class: numbers && place ? "p-number" : null }, head),
              ),
            ),
          )
        : null,
      el(
        "tbody",
        {},
        rows.map((row) =>
          el(
            "tr",
            {},
            row.map((cell, place) =>
              place
                ? el("td", { class: numbers ? "p-number" : null }, cell)
                : el("th", { scope: "row" }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/**
 * Return a list of names and values.
 * @param {readonly (readonly [string, Child])[]} pairs
 */
export function pairs(pairs) {
  return el(
    "dl",
    { class: "p-pairs" },
    pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

/**
 * Say something to a screen reader: the page has one region for it.
 * @param {string} text
 */
export function announce(text) {
  let region = document.getElementById("p-live");
  if (!region) {
    region = el("div", {
      id: "p-live",
      class: "p-hidden",
      role: "status",
      "aria-live": "polite",
      data: { live: "panels" },
    });
    document.body.append(region);
  }
  region.append(el("p", {}, text));
  while (region.childElementCount > 3) region.firstElementChild?.remove();
}

/** Return whether the person wants no movement. */
export function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
