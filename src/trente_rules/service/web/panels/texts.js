/** The texts of the page in a language: the catalogue's, nothing is written here. */

/** @import {Api, Texts} from "./types.js" */

export const LANGUAGES = /** @type {const} */ (["en", "fr", "it", "es", "de"]);

/** What languages call themselves. */
export const NAMES = {
  en: "English",
  fr: "Français",
  it: "Italiano",
  es: "Español",
  de: "Deutsch",
};

/**
 * Return the language to begin with: the one that was chosen, or the browser's first that there is.
 * @param {string} chosen
 */
export function firstLanguage(chosen) {
  const wanted = [chosen, ...navigator.languages.map((each) => each.slice(0, 2))];
  return wanted.find((each) => LANGUAGES.includes(/** @type {any} */ (each))) ?? "en";
}

/**
 * Put values in the places of a template: `$name`, `${name}`, and `$$` for the sign itself.
 * @param {string} template
 * @param {{[name: string]: unknown}} values
 */
export function filled(template, values) {
  return template.replace(
    /\$(?:\$|([a-z_][a-z0-9_]*)|\{([a-z_][a-z0-9_]*)\})/gi,
    (whole, plain, braced) => {
      if (whole === "$$") return "$";
      const name = plain ?? braced;
      return name in values ? String(values[name]) : whole;
    },
  );
}

/**
 * Make the texts; `load` a language before the first is said.
 * @param {Api} api
 * @returns {Texts}
 */
export function createTexts(api) {
  /** @type {{[key: string]: string}} */
  let known = {};
  let language = "en";
  /** @type {Set<() => void>} */
  const listeners = new Set();

  /** @param {string} key */
  const find = (key) => known[`web.${key}`] ?? known[key];

  /**
   * @param {string} key
   * @param {{[name: string]: unknown}} [values]
   */
  function say(key, values = {}) {
    const template = find(key);
    return template === undefined ? key : filled(template, values);
  }

  /**
   * @param {string} id
   * @param {...string} keys
   */
  function named(id, ...keys) {
    for (const key of keys) {
      const text = find(key);
      if (text !== undefined) return text;
    }
    return id;
  }

  return {
    get language() {
      return language;
    },
    languages: LANGUAGES,
    has: (key) => find(key) !== undefined,
    find,
    say,
    count: (key, count, values = {}) =>
      say(count === 1 && find(`${key}_one`) !== undefined ? `${key}_one` : key, {
        count,
        number: count,
        ...values,
      }),
    chance: (id) => named(id, `rulebook.chance.${id}`, `chance.${id}`),
    verdict(id) {
      const [kind = id, point] = id.split("-");
      const name = named(kind, `rulebook.short.${kind}`, `verdict.${kind}`);
      return point ? `${name} ${point}` : name;
    },
    state(id) {
      const [kind = id, level] = id.split("-");
      const name = named(kind, `rulebook.state.${kind}`, `state.${kind}`);
      return level ? `${name} ${level}` : name;
    },
    course: (id) => named(id, `rulebook.choice.${id}`, `course.${id}`),
    phase: (id) => named(id, `web.phase.${id}`, `phase.${id}`),
    async load(wanted) {
      known = await api.get(`/api/texts/${encodeURIComponent(wanted)}`);
      language = wanted;
      document.documentElement.lang = wanted;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
