/**
 * The keys of the page: one table of them, which the help shows as it is.
 */

/**
 * A key and what it does. `label` is its text in the language of the moment.
 * @typedef {{key: string, label: () => string, run: (event: KeyboardEvent) => void, shown?: string}} Key
 */

/**
 * @typedef {object} Keys
 * @property {(key: Key) => () => void} add   returns how to remove it
 * @property {() => readonly Key[]} list
 */

/** Return the keys of a page. @returns {Keys} */
export function createKeys() {
  /** @type {Map<string, Key>} */
  const known = new Map();
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target?.closest("input, select, textarea, [contenteditable]")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // Enter and space belong to the button that has the focus.
    if ((name === "Enter" || name === " ") && target?.closest("button, a, summary, [role=button], [role=tab]")) return;
    const key = known.get(name);
    if (!key) return;
    event.preventDefault();
    key.run(event);
  });
  return {
    add: (key) => {
      known.set(key.key, key);
      return () => {
        if (known.get(key.key) === key) known.delete(key.key);
      };
    },
    list: () => [...known.values()],
  };
}

const PAUSE = 900; // between two digits of one number

/**
 * Return a reader of typed digits: they name the value of a chip, never its position. A value is
 * taken as soon as it is one, and a further digit may make it another: 5, then 50.
 * @param {readonly number[]} values
 * @param {(value: number) => void} found
 * @returns {(digit: string) => boolean}  whether some value begins with what was typed
 */
export function digitReader(values, found) {
  let typed = "";
  let last = -Infinity;
  return (digit) => {
    const now = performance.now();
    typed = now - last < PAUSE ? typed + digit : digit;
    last = now;
    const begins = (/** @type {string} */ text) => values.some((value) => String(value).startsWith(text));
    if (!begins(typed)) typed = begins(digit) ? digit : "";
    const value = values.find((each) => String(each) === typed);
    if (value !== undefined) found(value);
    return typed !== "";
  };
}
