/** The small drawings of the tabs, in one line weight. */

import { svg } from "./dom.js";

/** @type {{[name: string]: string[]}} */
const PATHS = {
  history: ["M4 5h16M4 12h16M4 19h10"],
  card: ["M5 3h14v18H5zM12 3v18M5 9h14M5 15h14"],
  statistics: ["M4 4v16h16", "M7 15l4-5 3 3 5-7"],
  odds: ["M12 3a9 9 0 1 0 9 9", "M12 12V3a9 9 0 0 1 9 9z"],
  rules: ["M5 4h6a2 2 0 0 1 2 2v14a2 2 0 0 0-2-2H5z", "M21 4h-6a2 2 0 0 0-2 2v14a2 2 0 0 1 2-2h6z"],
  settings: ["M4 7h9M17 7h3M4 17h3M11 17h9", "M15 5v4M9 15v4"],
  help: ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.5v.2"],
  close: ["M6 6l12 12M18 6L6 18"],
  play: ["M8 5l11 7-11 7z"],
  pause: ["M8 5v14M16 5v14"],
  next: ["M6 5l9 7-9 7zM18 5v14"],
  back: ["M18 5l-9 7 9 7zM6 5v14"],
  start: ["M6 5v14M19 5l-7 7 7 7M12 5l-5 7 5 7"],
  voice: ["M4 9v6h4l5 4V5L8 9z", "M16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11"],
};

/**
 * Return a drawing; it says nothing to a screen reader, so a text must be beside it.
 * @param {string} name
 */
export function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "p-icon", "aria-hidden": "true", focusable: "false" },
    ...(PATHS[name] ?? []).map((d) => svg("path", { d })),
  );
}
