/**
 * The head of the page: where the table is in its session, the player's money, what the table
 * waits for, and the line to it. Results are read out by a region of their own.
 */

import { el, fill, svg } from "./panels/dom.js";

/**
 * @import {Felt} from "./felt.js"
 * @import {Change, State} from "./store.js"
 * @import {Scene} from "./scene.js"
 */

/**
 * Put the head of the page into it.
 * @param {{head: HTMLElement, notice: HTMLElement, result: HTMLElement, live: HTMLElement}} places
 * @param {Felt} felt
 */
export function mountStatus({ head, notice, result, live }, felt) {
  const { texts, money, facts } = felt;
  const where = el("p", { class: "where" });
  const clock = el("p", { class: "clock" });
  const purse = figure("purse");
  const net = figure("net");
  const staked = figure("staked");
  const title = el("h1", {}, facts.title);
  const leave = el("button", { type: "button", class: "leave", data: { do: "leave" }, "aria-label": texts.say("do.leave"), title: texts.say("do.leave"), onclick: () => felt.leave() },
    svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: "m14 6-6 6 6 6" })));
  fill(head, leave, el("div", { class: "house" }, title, where), clock,
    el("dl", { class: "figures" }, purse.box, net.box, staked.box));
  /** @type {number | undefined} */
  let hush;

  /** @param {"purse" | "net" | "staked"} name */
  function figure(name) {
    const value = el("dd", {});
    const term = el("dt", {});
    return { name, value, term, box: el("div", { class: `figure ${name}` }, term, value) };
  }

  /** @param {{name: string, value: HTMLElement, term: HTMLElement, box: HTMLElement}} into @param {number | null} units @param {string} text */
  function write(into, units, text) {
    into.box.hidden = units === null;
    into.term.textContent = texts.say(`felt.${into.name}`);
    if (units === null) return;
    into.value.dataset[into.name] = String(units);
    into.value.textContent = text;
    into.value.classList.toggle("gain", into.name === "net" && units > 0);
    into.value.classList.toggle("loss", into.name === "net" && units < 0);
  }

  /** @param {State} state */
  function render(state) {
    const { shown } = state;
    const player = state.me?.role === "player";
    const lying = shown.stakes.reduce((sum, stake) => sum + stake.amount, 0)
      + shown.stakes.reduce((sum, stake) => sum + (shown.premiums[stake.id] ?? 0), 0);
    // What lies on the table is still the player's: the net result counts it as not lost.
    const result_ = shown.account === null ? null : shown.account + lying;
    write(purse, player ? shown.purse : null, shown.purse === null ? "" : money.format(shown.purse));
    write(net, player ? result_ : null, money.signed(result_ ?? 0));
    write(staked, player ? lying : null, money.format(lying));
    const parts = [];
    if (shown.shoe) parts.push(texts.say("felt.taille", { number: shown.shoe }));
    if (shown.coup) parts.push(texts.say("felt.coup", { number: shown.coup }));
    if (shown.markerShown) parts.push(texts.say("felt.last_coup"));
    where.textContent = parts.join(" \u00b7 ");
    title.textContent = facts.title;
    clock.textContent = felt.waiting(state);
    clock.classList.toggle("urgent", hurried(state));
    line(state);
    fill(result, ...summary(shown, player));
  }

  /** @param {State} state */
  function hurried(state) {
    const until = state.clock?.until ?? null;
    return until !== null && until - performance.now() < 5000 && state.clock?.waits_for !== "nothing";
  }

  /** @param {State} state */
  function line({ line: { status, reason, again } }) {
    if (status === "open") {
      if (notice.dataset["line"]) {
        delete notice.dataset["line"];
        notice.hidden = true;
      }
      return;
    }
    const seconds = Math.ceil(again / 1000);
    const key = status === "connecting" ? "connecting" : reason === "lost" && seconds === 0 ? "retrying" : reason;
    const text = texts.say(`line.${key}`, { seconds });
    if (notice.dataset["line"] === text) return;
    notice.dataset["line"] = text;
    notice.hidden = false;
    const button = status === "lost" && seconds > 0
      ? el("button", { type: "button", onclick: () => felt.connection.retry() }, texts.say("do.again")) : null;
    fill(notice, el("span", {}, text), button);
  }

  /** @param {Scene} shown @param {boolean} player @returns {(Node | string)[]} */
  function summary(shown, player) {
    const { last } = shown;
    if (!last || (!shown.stale && shown.phase !== "ready" && shown.phase !== "no-shoe")) return [];
    const nodes = [el("strong", {}, texts.say("result.coup", { number: last.number })), el("span", {}, outcome(last))];
    if (last.staked && player) {
      const tone = last.net > 0 ? "gain" : last.net < 0 ? "loss" : "";
      nodes.push(el("span", { class: `coup-net ${tone}` }, texts.say("result.net", { amount: money.signed(last.net) })));
    }
    return nodes;
  }

  /** @param {NonNullable<Scene["last"]>} last */
  function outcome(last) {
    if (last.void) return texts.say("result.void");
    const simple = facts.chances.filter((chance) => chance.simple).map(({ id }) => id);
    const winners = simple.filter((id) => last.verdicts[id] === "win").map((id) => felt.chanceName(id));
    if (winners.length > 0) {
      const chances = winners.join(` ${texts.say("result.and")} `);
      return texts.say(winners.length === 1 ? "result.win_one" : "result.win", winners.length === 1 ? { chance: chances } : { chances });
    }
    const some = last.verdicts[simple[0] ?? ""] ?? "";
    return some.startsWith("refait") ? texts.say("result.refait") : texts.say("result.apres");
  }

  /** @param {State} state @param {Change} change */
  function hear(state, change) {
    const event = change.kind === "event" ? change.event : undefined;
    if (event?.kind === "coup-settled" || event?.kind === "coup-voided") {
      const { last } = state.shown;
      if (!last || ("round" in event && last.round !== String(event.round))) return; // a correction of one long ago
      const points = /** @type {const} */ (["first", "second"]).map((which) => texts.say("result.points", {
        row: felt.chanceName(felt.colourOf(which)), total: last.totals[which],
      })).join(", ");
      const net_ = last.staked && state.me?.role === "player" ? texts.say("result.net", { amount: money.signed(last.net) }) : "";
      say([points, outcome(last), net_].filter(Boolean).join(". "));
    } else if (event?.kind === "coup-corrected") say(texts.say("result.corrected", { number: event.number }));
    else if (event?.kind === "shoe-ended") say(texts.say("result.shoe_ended"));
    else if (event?.kind === "session-closed") say(texts.say("result.session_closed"));
  }

  /** Have a text read out. @param {string} text */
  function say(text) {
    live.append(el("p", {}, text));
    while (live.childElementCount > 3) live.firstElementChild?.remove();
  }

  /** Show a short text for a while, and have it read out. @param {string} text @param {"bad" | "good"} [tone] */
  function tell(text, tone = "bad") {
    clearTimeout(hush);
    notice.hidden = false;
    notice.dataset["tone"] = tone;
    delete notice.dataset["line"];
    fill(notice, el("span", {}, text));
    say(text);
    hush = window.setTimeout(() => {
      if (notice.dataset["line"]) return;
      notice.hidden = true;
    }, 4500);
  }

  return { render, hear, tell, say };
}
