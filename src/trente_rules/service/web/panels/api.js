/** Questions to the service by HTTP. */

/** @import {Api, ProblemBody, Texts} from "./types.js" */

/** Why the service refused something. */
export class ApiError extends Error {
  /** @param {ProblemBody} problem */
  constructor(problem) {
    super(problem.title);
    this.name = "ApiError";
    this.problem = problem;
  }

  /** The stable code of the refusal. */
  get code() {
    return this.problem.code;
  }
}

/**
 * Read JSON; refuse a number that JavaScript would round: amounts are exact, or are not read.
 * @param {string} text
 * @returns {any}
 */
export function parse(text) {
  return JSON.parse(text, (name, value) => {
    if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
      throw new RangeError(`${name}: a number above 2**53 - 1 is not exact in JavaScript`);
    return value;
  });
}

/**
 * Return the words of a refusal, for a person: with `texts` those of the page, where it has some
 * that need no values; else those of the service, in English.
 * @param {unknown} error
 * @param {Texts} [texts]
 */
export function why(error, texts) {
  const problem = /** @type {any} */ (error)?.problem;
  const own = problem && texts?.find(`refused.${problem.code}`);
  if (own && !own.includes("$")) return own;
  if (problem) return problem.detail ? `${problem.title} (${problem.detail})` : problem.title;
  return error instanceof Error ? error.message : String(error);
}

/**
 * Make the questions of a visitor with a token.
 * @param {string} base the address of the service, empty for that of the page
 * @param {string} token
 * @returns {Api}
 */
export function createApi(base, token) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   */
  async function ask(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = { accept: "application/json" };
    if (token) headers["authorization"] = `Bearer ${token}`;
    if (body !== undefined) headers["content-type"] = "application/json";
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new ApiError(refusal(response, text));
    return text ? parse(text) : null;
  }
  return {
    token,
    get: (path) => ask("GET", path),
    post: (path, body = {}) => ask("POST", path, body),
    delete: (path) => ask("DELETE", path),
  };
}

/**
 * Read a refusal; one that is no problem details, such as a proxy's, gets its status.
 * @param {Response} response
 * @param {string} text
 * @returns {ProblemBody}
 */
function refusal(response, text) {
  try {
    const read = parse(text);
    if (typeof read.title === "string") return read;
  } catch {
    // not from the service
  }
  return {
    type: "about:blank",
    title: `${response.status} ${response.statusText}`.trim(),
    status: response.status,
    code: String(response.status),
    detail: "",
    values: {},
  };
}
