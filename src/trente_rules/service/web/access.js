/**
 * The token that lets this page in, and the table it is for.
 *
 * A link carries both after `#`, which no server and no log sees. They move to the storage of the
 * page and out of the address, so that neither a copied address nor the history has the token.
 */

const TOKEN = "trente.token";
const TABLE = "trente.table";

/** @typedef {{token: string, table: string, language: string}} Access */

/**
 * Take the token, the table and a language out of the address, or from the storage of an earlier visit.
 * @returns {Access}
 */
export function takeAccess() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  const table = given.get("table");
  if (token) write(TOKEN, token);
  if (token && !table) write(TABLE, "");
  if (table) write(TABLE, table);
  const language = given.get("language") ?? "";
  if (token || table || language) history.replaceState(null, "", location.pathname + location.search);
  return { token: token ?? read(TOKEN), table: table ?? read(TABLE), language };
}

/**
 * Remember the table that is played at, so that a reload comes back to it; none with "".
 * @param {string} table
 */
export function keepTable(table) {
  write(TABLE, table);
}

/** Forget the token: it is not valid any more. */
export function forgetToken() {
  write(TOKEN, "");
}

/** @param {string} key @returns {string} */
function read(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return ""; // a browser that keeps nothing: the link is needed at each visit
  }
}

/** @param {string} key @param {string} value */
function write(key, value) {
  try {
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {
    // nothing is kept
  }
}
