/**
 * The line to a table: a WebSocket that comes back by itself, and commands that are done once.
 *
 * A command keeps its id until the service has said what became of it: where the line breaks, it is
 * sent again on the next one, and a table does a command of one id once. A line that breaks goes
 * on from the last event seen (`after`).
 */

/** @import {ServerMessage, ClientMessage, AnyCommand, DoneMessage, Problem} from "./trente.js" */

/**
 * @typedef {"connecting" | "open" | "lost" | "closed"} LineStatus
 * @typedef {object} LineNews
 * @property {LineStatus} status
 * @property {string} reason   why, where it is lost or closed: a key below `web.line`
 * @property {number} again    milliseconds until the next attempt, 0 where it is made now
 */

/**
 * @typedef {object} Connection
 * @property {(command: Wanted) => Promise<DoneMessage>} send  rejects with `Refused`
 * @property {(ready?: boolean) => Promise<DoneMessage>} ready
 * @property {(place: number) => Promise<DoneMessage>} cut
 * @property {(fromEnd: number) => Promise<DoneMessage>} marker
 * @property {(code: string) => void} language
 * @property {() => void} retry     try again now
 * @property {() => number} waiting commands that are not done yet
 * @property {() => void} close
 */

/**
 * A command without its id; `round` and `id` are filled in where they are missing.
 * @typedef {{kind: AnyCommand["kind"], id?: string, [field: string]: unknown}} Wanted
 */

/**
 * @typedef {object} Place
 * @property {string} table
 * @property {string} token
 * @property {string} language
 * @property {(message: ServerMessage) => void} take      every message but pongs and replies
 * @property {(news: LineNews) => void} news
 * @property {() => Promise<number>} refusedBy  the status with which the service refuses the token
 *   over HTTP, 0 where it cannot be reached, 200 where it takes it: a handshake that was refused
 *   says nothing to a page
 */

const BEAT = 15_000; // a quiet line is asked whether somebody is there
const SILENCE = 8_000; // and given up where nobody has replied by then
const LONGEST = 15_000;
const RESTARTS = new Set([1001, 1012, 4408]);

/** A message of this page was refused. */
export class Refused extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.title);
    this.name = "Refused";
    this.problem = problem;
  }
}

/** Return 128 random bits; `randomUUID` is missing where a page comes by plain HTTP. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Read a message; amounts that JavaScript would round are refused.
 * @param {string} text
 * @returns {ServerMessage}
 */
function parsed(text) {
  return JSON.parse(text, (name, value) => {
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      throw new RangeError(`${name}: a number above 2**53 - 1 is not exact here`);
    }
    return value;
  });
}

/**
 * @typedef {{resolve: (done: DoneMessage) => void, reject: (why: Error) => void}} Asked
 */

/**
 * Connect to a table, for as long as the page is open.
 * @param {Place} place
 * @returns {Connection}
 */
export function connect(place) {
  /** @type {Map<string, Asked & {message: ClientMessage}>} commands by id, in the order they were given */
  const waiting = new Map();
  /** @type {Asked[]} `ready`, `cut` and `marker` have no id: their replies come in order */
  let asked = [];
  /** @type {WebSocket | null} */
  let socket = null;
  let seen = -1;
  let attempt = 0;
  let greeted = false;
  let over = false;
  let language = place.language;
  let reason = "lost";
  /** @type {number | undefined} */
  let later;
  /** @type {number | undefined} */
  let beat;
  /** @type {number | undefined} */
  let silence;

  const open = () => {
    clearTimeout(later);
    const address = new URL(`/api/tables/${encodeURIComponent(place.table)}/socket`, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.searchParams.set("language", language);
    if (seen >= 0) address.searchParams.set("after", String(seen));
    place.news({ status: seen >= 0 ? "lost" : "connecting", reason: "retrying", again: 0 });
    greeted = false;
    const line = new WebSocket(address, ["trente-rules.1", `bearer.${place.token}`]);
    socket = line;
    line.addEventListener("message", (event) => { if (socket === line) take(event.data); });
    line.addEventListener("close", (event) => { if (socket === line) closed(event.code); });
  };

  /** @param {ClientMessage} message */
  const say = (message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };

  const listen = () => {
    clearTimeout(beat);
    clearTimeout(silence);
    beat = window.setTimeout(() => {
      say({ kind: "ping" });
      silence = window.setTimeout(() => broken("lost"), SILENCE);
    }, BEAT);
  };

  /** @param {string} text */
  const take = (text) => {
    const message = parsed(text);
    listen();
    if (!greeted) greet();
    switch (message.kind) {
      case "pong":
        return;
      case "done": {
        const of = message.id ? waiting.get(message.id) : asked.shift();
        waiting.delete(message.id);
        of?.resolve(message);
        return;
      }
      case "refused": {
        const of = message.id ? waiting.get(message.id) : asked.shift();
        waiting.delete(message.id);
        of?.reject(new Refused(message.problem));
        return;
      }
      case "state":
        seen = message.view.events - 1;
        break;
      case "entry":
        for (const event of message.entry.events) seen = Math.max(seen, event.index);
        break;
    }
    place.take(message);
  };

  /** The first message is here: the line is open, and what was not done yet is sent again. */
  const greet = () => {
    greeted = true;
    attempt = 0;
    reason = "lost";
    place.news({ status: "open", reason: "", again: 0 });
    for (const each of waiting.values()) say(each.message);
  };

  /** @param {number} code */
  const closed = (code) => {
    clearTimeout(beat);
    clearTimeout(silence);
    socket = null;
    for (const each of asked.splice(0)) each.reject(new Error("the line broke"));
    if (over) return;
    if (code === 4401) return finish("expired");
    if (RESTARTS.has(code)) reason = code === 4408 ? "lost" : "stopping";
    if (greeted && code !== 1008) return wait();
    // Refused before it was open, or thrown out: ask over HTTP, where a refusal can be read.
    void place.refusedBy().then((status) => {
      if (over || socket) return;
      if (status === 401) finish("expired");
      else if (status === 403) finish("refused");
      else if (status === 404) finish("closed");
      else wait();
    });
  };

  const wait = () => {
    const longest = Math.min(LONGEST, 500 * 2 ** attempt++);
    const again = Math.round(longest * (0.5 + Math.random() / 2)); // not all pages at one moment
    place.news({ status: "lost", reason, again });
    clearTimeout(later);
    later = window.setTimeout(open, again);
  };

  /** Give a line up without waiting for its end. @param {string} why */
  const broken = (why) => {
    const line = socket;
    reason = why;
    socket = null;
    line?.close();
    closed(1006);
  };

  /** @param {string} why */
  const finish = (why) => {
    over = true;
    clearTimeout(later);
    for (const each of waiting.values()) each.reject(new Error(why));
    waiting.clear();
    place.news({ status: "closed", reason: why, again: 0 });
  };

  /** @param {ClientMessage} message @returns {Promise<DoneMessage>} */
  const ask = (message) => new Promise((resolve, reject) => {
    if (!greeted || !socket) return reject(new Error("the line is broken"));
    asked.push({ resolve, reject });
    say(message);
  });

  const retry = () => {
    if (over || socket) return;
    attempt = 0;
    open();
  };
  window.addEventListener("online", retry);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) retry(); });
  open();

  return {
    send: (command) => new Promise((resolve, reject) => {
      if (over) return reject(new Error("the line is closed"));
      const id = command.id ?? newId();
      const message = /** @type {ClientMessage} */ ({ kind: "command", command: { ...command, id } });
      waiting.set(id, { message, resolve, reject });
      if (greeted) say(message);
    }),
    ready: (ready = true) => ask({ kind: "ready", ready }),
    cut: (where) => ask({ kind: "cut", place: where }),
    marker: (fromEnd) => ask({ kind: "marker", from_end: fromEnd }),
    language: (code) => {
      language = code;
      if (greeted) say({ kind: "language", language: code });
    },
    retry,
    waiting: () => waiting.size,
    close: () => {
      over = true;
      clearTimeout(later);
      socket?.close(1000);
    },
  };
}
