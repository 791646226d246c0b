/** The croupier's words: in the language of the house, under them the same in one's own. */

/** @import {Context} from "./types.js" */

import { el, fill } from "./dom.js";
import { hush, speak } from "./voice.js";

/**
 * Write the words into an element as they are called.
 * @param {HTMLElement} place
 * @param {Context} context
 */
export function createWords(place, context) {
  const { store, texts, settings } = context;
  const house = el("p", { class: "p-words-house" });
  const own = el("p", { class: "p-words-own" });
  const spoken = el("div", {
    class: "p-hidden",
    role: "log",
    "aria-live": "polite",
    data: { live: "words" },
  });
  place.classList.add("p-words");
  fill(place, house, own, spoken);

  function draw() {
    const { facts, shown: { said } } = store.get();
    const last = said.at(-1);
    const language = facts?.language ?? "fr";
    house.lang = language;
    own.lang = texts.language;
    const [theirs = "", mine = ""] = last ?? [];
    house.textContent = theirs || "\u00a0";
    own.textContent = mine && mine !== theirs ? mine : "\u00a0";
  }

  /** Have a call read out, and spoken. @param {string[]} said */
  function hear([call = "", meaning = ""]) {
    const { facts } = store.get();
    const language = facts?.language ?? "fr";
    const text = meaning || call;
    if (!text) return;
    spoken.append(el("p", { lang: meaning ? texts.language : language }, text));
    while (spoken.childElementCount > 4) spoken.firstElementChild?.remove();
    if (call && settings.get().voice) speak(call, language);
  }

  const stops = [
    store.subscribe((_now, change) => {
      if (change.kind === "said" || change.kind === "state" || change.kind === "facts") draw();
      if (change.kind === "said" && change.said) hear(change.said);
    }),
    settings.subscribe((now, before) => {
      if (before.voice && !now.voice) hush();
    }),
  ];
  draw();
  return {
    stop() {
      for (const stop of stops) stop();
      hush();
    },
  };
}
