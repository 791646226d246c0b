/** The panels beside the table: tabs in a column, on a narrow screen a sheet from the foot. */

/** @import {Context, Panel} from "./types.js" */

import { createCardPanel } from "./card.js";
import { watchChoices } from "./choices.js";
import { append, el, fill } from "./dom.js";
import { createHelpPanel } from "./help.js";
import { createHistoryPanel } from "./history.js";
import { icon } from "./icons.js";
import { createOddsPanel } from "./odds.js";
import { createRulesPanel } from "./rules.js";
import { createSettingsPanel } from "./settings_panel.js";
import { createStatisticsPanel } from "./statistics.js";
import { createWords } from "./words.js";

/** The keys that open a panel. */
const KEYS = { h: "history", k: "card", s: "statistics", o: "odds", l: "rules", ",": "settings", "?": "help" };
/** Milliseconds without news after which a coup is taken to be shown. */
const STILL = 150;
const NARROW = "(max-width: 1099px)";

/**
 * Mount the panels of a player's table; `unmount` takes them away again.
 * @param {HTMLElement} container
 * @param {Context} context
 */
export function mountPanels(container, context) {
  const { store, texts } = context;
  /** @type {Panel[]} */
  const panels = [
    createHistoryPanel(context),
    createCardPanel(context),
    createStatisticsPanel(context),
    createOddsPanel(context),
    createRulesPanel(context),
    createSettingsPanel(context),
    createHelpPanel(context),
  ];
  const narrow = matchMedia(NARROW);
  const tabs = createTabs(container, panels, context, narrow);
  const words = context.words ? createWords(context.words, context) : null;
  const choices = watchChoices(context);

  /** @type {number | undefined} */
  let soon;
  /** Look again when all that has come lies on the table, not between two entries of a coup. */
  const later = () => {
    window.clearTimeout(soon);
    soon = window.setTimeout(() => {
      if (!store.get().dealing) tabs.changed();
    }, STILL);
  };

  const unsubscribe = [
    store.subscribe((_now, change) => {
      if (["shown", "facts", "state"].includes(change.kind)) later();
    }),
    () => window.clearTimeout(soon),
    texts.subscribe(() => tabs.retitle()),
  ];
  tabs.retitle();

  for (const [key, name] of Object.entries(KEYS))
    context.keys?.add({
      key,
      label: () => texts.say("tabs.open", { name: texts.say(`tabs.${name}`) }),
      run: () => tabs.open(name),
    });
  return {
    /** Open a panel by its name. */
    open: tabs.open,
    words,
    unmount() {
      for (const stop of unsubscribe) stop();
      choices.stop();
      words?.stop();
      container.replaceChildren();
    },
  };
}

/**
 * @param {HTMLElement} container
 * @param {Panel[]} panels
 * @param {Context} context
 * @param {MediaQueryList} narrow
 */
function createTabs(container, panels, context, narrow) {
  const { texts } = context;
  let selected = panels[0];
  let opened = !narrow.matches;
  /** @type {Set<Panel>} */
  const stale = new Set(panels);
  /** @type {HTMLElement | null} */
  let before = null;

  const list = el("div", { role: "tablist", class: "p-tabs" });
  const buttons = panels.map((panel) => {
    panel.element.id = `panel-${panel.name}`;
    panel.element.classList.add("p-panel");
    panel.element.setAttribute("role", "tabpanel");
    panel.element.setAttribute("aria-labelledby", `tab-${panel.name}`);
    panel.element.dataset["panel"] = panel.name;
    panel.element.tabIndex = 0;
    const button = el("button", {
      type: "button",
      role: "tab",
      id: `tab-${panel.name}`,
      class: "p-tab",
      "aria-controls": panel.element.id,
      data: { open: panel.name },
      onclick: () => open(panel.name),
    });
    return button;
  });
  append(list, buttons);
  const shut = el("button", { type: "button", class: "p-shut", onclick: () => closeSheet() });
  const sheet = el("div", { class: "p-sheet" }, shut, ...panels.map((panel) => panel.element));
  const shade = el("div", { class: "p-shade", onclick: () => closeSheet() });
  container.classList.add("p-root");
  fill(container, shade, sheet, list);

  function retitle() {
    list.setAttribute("aria-label", texts.say("tabs.label"));
    for (const [place, panel] of panels.entries()) {
      const button = buttons[place];
      if (button) fill(button, icon(panel.name), el("span", {}, texts.say(`tabs.${panel.name}`)));
    }
    fill(shut, icon("close"), el("span", { class: "p-hidden" }, texts.say("tabs.close")));
    changed();
  }

  function draw() {
    const sheetOpen = narrow.matches && opened;
    list.setAttribute("aria-orientation", narrow.matches ? "horizontal" : "vertical");
    container.toggleAttribute("data-sheet", sheetOpen);
    for (const [place, panel] of panels.entries()) {
      const shown = panel === selected && (opened || !narrow.matches);
      const button = buttons[place];
      panel.element.hidden = !shown;
      button?.setAttribute("aria-selected", String(shown));
      button?.setAttribute("aria-expanded", String(shown));
      if (button) button.tabIndex = panel === selected ? 0 : -1;
    }
    for (const other of container.parentElement?.children ?? []) {
      if (other !== container && other instanceof HTMLElement) other.inert = sheetOpen;
    }
    if (narrow.matches && sheetOpen) {
      sheet.setAttribute("role", "dialog");
      sheet.setAttribute("aria-modal", "true");
      sheet.setAttribute("aria-label", texts.say(`tabs.${selected?.name}`));
    } else {
      sheet.removeAttribute("role");
      sheet.removeAttribute("aria-modal");
      sheet.removeAttribute("aria-label");
    }
  }

  function changed() {
    for (const panel of panels) stale.add(panel);
    freshen();
  }

  function freshen() {
    if (!selected || !stale.has(selected) || (narrow.matches && !opened)) return;
    stale.delete(selected);
    selected.refresh();
  }

  /** @param {string} name */
  function open(name) {
    const panel = panels.find((each) => each.name === name);
    if (!panel) return;
    if (narrow.matches && opened && panel === selected) {
      closeSheet();
      return;
    }
    if (!opened) before = /** @type {HTMLElement} */ (document.activeElement);
    selected = panel;
    opened = true;
    draw();
    freshen();
    if (narrow.matches) panel.element.focus();
  }

  function closeSheet() {
    if (!narrow.matches || !opened) return;
    opened = false;
    draw();
    (before?.isConnected && before !== document.body ? before : buttons[0])?.focus();
  }

  list.addEventListener("keydown", (event) => {
    const place = buttons.indexOf(/** @type {any} */ (document.activeElement));
    if (place < 0) return;
    const last = buttons.length - 1;
    /** @type {{[key: string]: number}} */
    const moves = {
      ArrowDown: place === last ? 0 : place + 1,
      ArrowRight: place === last ? 0 : place + 1,
      ArrowUp: place === 0 ? last : place - 1,
      ArrowLeft: place === 0 ? last : place - 1,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const panel = panels[to];
    buttons[to]?.focus();
    if (panel && !narrow.matches) open(panel.name);
    else for (const [at, button] of buttons.entries()) button.tabIndex = at === to ? 0 : -1;
  });
  container.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !container.hasAttribute("data-sheet")) return;
    event.stopPropagation();
    closeSheet();
  });
  container.addEventListener("keydown", (event) => {
    if (event.key !== "Tab" || !container.hasAttribute("data-sheet")) return;
    trap(event, container);
  });
  narrow.addEventListener("change", () => {
    opened = !narrow.matches;
    draw();
    freshen();
  });
  draw();
  return { open, changed, retitle };
}

/**
 * Keep the focus within the sheet and its tabs.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} within
 */
function trap(event, within) {
  const stops = [
    .../** @type {NodeListOf<HTMLElement>} */ (
      within.querySelectorAll("button,a[href],input,select,textarea,summary,[tabindex='0']")
    ),
  ].filter((each) => each.offsetParent !== null && each.tabIndex >= 0);
  const first = stops[0];
  const last = stops.at(-1);
  if (event.shiftKey && document.activeElement === first) {
    event.preventDefault();
    last?.focus();
  } else if (!event.shiftKey && document.activeElement === last) {
    event.preventDefault();
    first?.focus();
  }
}
