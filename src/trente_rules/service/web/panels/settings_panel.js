/** The settings: language, appearance, pace, voice, questions. */

/** @import {Context, Pace, Panel, Settings} from "./types.js" */

import { el, fill, labelled, select } from "./dom.js";
import { NAMES } from "./texts.js";
import { speaks, voiceOf } from "./voice.js";

/**
 * @param {Pick<Context, "texts" | "settings"> & Partial<Pick<Context, "store">>} context
 * @returns {Panel}
 */
export function createSettingsPanel(context) {
  const { texts, settings } = context;
  const element = el("section", {});

  function refresh() {
    const now = settings.get();
    /** @param {string} key */
    const say = (key) => texts.say(`settings.${key}`);
    const house = context.store?.get().facts?.language ?? "fr";
    const focus = document.activeElement?.getAttribute("data-setting");
    fill(
      element,
      el("h2", {}, say("title")),
      labelled(
        say("language"),
        select(
          texts.languages.map((code) => [code, NAMES[/** @type {"en"} */ (code)]]),
          texts.language,
          (language) => settings.set({ language }),
          { data: { setting: "language" } },
        ),
      ),
      labelled(
        say("theme"),
        select(
          [
            ["system", say("system")],
            ["light", say("light")],
            ["dark", say("dark")],
          ],
          now.theme,
          (theme) => settings.set({ theme: /** @type {Settings["theme"]} */ (theme) }),
          { data: { setting: "theme" } },
        ),
      ),
      labelled(
        say("pace"),
        select(
          [
            ["slow", say("slow")],
            ["normal", say("normal")],
            ["fast", say("fast")],
            ["once", say("instant")],
          ],
          now.pace,
          (pace) => settings.set({ pace: /** @type {Pace} */ (pace) }),
          { data: { setting: "pace" } },
        ),
      ),
      check("voice", say("voice"), speaks() ? voiceNote(house) : texts.say("words.silent"), !speaks()),
      el(
        "fieldset",
        { class: "p-checks" },
        el("legend", {}, say("confirm")),
        check("confirm_insurance", say("confirm_insurance")),
      ),
      el("p", { class: "p-note" }, say("kept")),
    );
    if (focus)
      /** @type {HTMLElement | null} */ (element.querySelector(`[data-setting="${focus}"]`))?.focus();
  }

  /** @param {string} house */
  function voiceNote(house) {
    const note = texts.say("settings.voice_note");
    if (voiceOf(house)) return note;
    if (!speechSynthesis.getVoices().length) return texts.say("words.silent");
    const language = NAMES[/** @type {"en"} */ (house)] ?? house;
    return `${note} ${texts.say("words.no_voice", { language })}`;
  }

  /**
   * @param {"voice" | "confirm_insurance"} name
   * @param {string} label
   * @param {string} [note]
   * @param {boolean} [disabled]
   */
  function check(name, label, note = "", disabled = false) {
    const box = el("input", {
      type: "checkbox",
      checked: settings.get()[name],
      disabled,
      data: { setting: name },
      onchange: () => settings.set({ [name]: box.checked }),
    });
    return el(
      "div",
      { class: "p-field" },
      el("label", { class: "p-check" }, box, el("span", {}, label)),
      note ? el("span", { class: "p-note" }, note) : null,
    );
  }

  if (speaks()) speechSynthesis.addEventListener("voiceschanged", () => element.isConnected && !element.hidden && refresh());
  return { name: "settings", element, refresh };
}
