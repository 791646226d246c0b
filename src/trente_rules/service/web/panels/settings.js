/** What a person has set, kept in this browser, and what of it the whole page obeys. */

/** @import {Settings, SettingsStore} from "./types.js" */

const PLACE = "trente.settings";

/** Paces of the cards, from slow to all at once. */
export const PACES = ["slow", "normal", "fast", "once"];

/** @type {Settings} */
export const FIRST = {
  language: "",
  theme: "system",
  pace: "normal",
  voice: false,
  confirm_insurance: true,
  odds: false,
};

/** Read what was kept; what is not understood is as at first. @returns {Settings} */
function kept() {
  /** @type {any} */
  let read = {};
  try {
    read = JSON.parse(localStorage.getItem(PLACE) ?? "{}") ?? {};
  } catch {
    // storage is closed, or holds something else: as at first
  }
  /** @type {any} */
  const made = { ...FIRST };
  for (const name of Object.keys(FIRST)) {
    if (typeof read[name] === typeof made[name]) made[name] = read[name];
  }
  if (!PACES.includes(made.pace)) made.pace = FIRST.pace;
  return made;
}

/** Make the settings of this browser; the theme is on the page at once. @returns {SettingsStore} */
export function createSettings() {
  let now = kept();
  /** @type {Set<(now: Settings, before: Settings) => void>} */
  const listeners = new Set();
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function show() {
    const shown = now.theme === "system" ? (dark.matches ? "dark" : "light") : now.theme;
    document.documentElement.dataset["theme"] = shown;
  }

  /** @param {Settings} next */
  function change(next) {
    const before = now;
    now = next;
    show();
    for (const listener of listeners) listener(now, before);
  }

  dark.addEventListener("change", show);
  addEventListener("storage", (event) => {
    if (event.key === PLACE) change(kept());
  });
  show();
  return {
    get: () => now,
    set(changed) {
      const next = { ...now, ...changed };
      try {
        localStorage.setItem(PLACE, JSON.stringify(next));
      } catch {
        // not kept: it holds for this page
      }
      change(next);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
