/**
 * Insurance: one place for each chance, with its price in money and in per cent of the stake.
 */

import { el, fill } from "./panels/dom.js";
import { openDialog } from "./panels/dialog.js";
import { isFree } from "./scene.js";
import { shield } from "./tableau.js";

/**
 * @import {Felt} from "./felt.js"
 * @import {State} from "./store.js"
 * @import {Stake} from "./trente.js"
 */

const DEAR = 0.02; // from here on it is shown in amber
const ASKED = 0.05; // and from here on it is asked about, the first time

/**
 * Put the insurances into the page; nothing in a house without them.
 * @param {HTMLElement} container
 * @param {Felt} felt
 */
export function mountInsurance(container, felt) {
  const { store, texts, money, facts, bets, settings } = felt;
  const offered = facts.insurance;
  let asked = false;
  container.hidden = !offered;
  if (!offered) {
    return { render: () => undefined, toggle: () => felt.tell(texts.say("insurance.not_here")) };
  }
  const insurance = offered;
  const order = ["rouge", "couleur", "inverse", "noir"];
  const chances = facts.chances.filter((chance) => chance.insurable)
    .sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const places = new Map(chances.map((chance) => [chance.id, place(chance.id)]));
  const hint = el("p", { class: "insurance-hint" }, shield(), el("span", {}, insurance.premium_text));
  fill(container, hint, ...[...places.values()].map(({ button }) => button));

  /** @param {string} chance */
  function place(chance) {
    const label = el("span", { class: "p-hidden" });
    const name = el("span", { class: "of", "aria-hidden": "true" });
    const price = el("span", { class: "price", "aria-hidden": "true" });
    const rate = el("span", { class: "rate", "aria-hidden": "true" });
    const button = el("button", {
      type: "button", class: "insure", data: { do: "insure", for: chance }, onclick: () => void toggle(chance),
    }, label, shield(), name, price, rate);
    return { button, label, name, price, rate, key: "" };
  }

  /** The stake of a chance that an insurance is about. @param {string} chance @returns {Stake | undefined} */
  function stakeOn(chance) {
    const stakes = store.get().shown.stakes.filter((stake) => stake.chance === chance);
    const can = (/** @type {Stake} */ stake) => isFree(stake)
      || insurance.covers.includes(stake.state);
    return stakes.find((stake) => can(stake) && !stake.insured && !stake.covered)
      ?? stakes.find((stake) => stake.insured || stake.covered);
  }

  /** Whether the house insures such a stake, by its posted bounds. @param {Stake} stake */
  function takes({ amount }) {
    const { minimum_stake: least, maximum_stake: most, multiple } = insurance;
    return amount >= least && (!most || amount <= most) && (!multiple || amount % multiple === 0);
  }

  /** @param {State} state */
  function render(state) {
    hint.hidden = state.shown.stakes.length > 0;
    for (const [chance, spot] of places) {
      const stake = stakeOn(chance);
      const paid = stake ? state.shown.premiums[stake.id] ?? 0 : 0;
      const key = JSON.stringify([stake, paid, state.shown.betting, texts.language, state.status, hint.hidden]);
      if (key === spot.key) continue;
      spot.key = key;
      spot.button.hidden = state.shown.stakes.length === 0;
      spot.button.classList.toggle("none", !stake || !(state.shown.betting || stake.insured || stake.covered));
      spot.name.textContent = felt.chanceName(chance);
      spot.button.disabled = !stake || !state.shown.betting || state.status !== "open";
      spot.button.classList.toggle("on", stake?.insured ?? false);
      spot.button.setAttribute("aria-pressed", String(stake?.insured ?? false));
      if (!stake) blank(chance);
      else if (stake.insured || stake.covered) taken(chance, stake, paid);
      else if (state.shown.betting && takes(stake)) void offer(chance, stake, key);
      else {
        blank(chance);
        spot.button.disabled = true;
        if (stake.amount < insurance.minimum_stake) {
          spot.price.textContent = texts.say("field.from", { least: money.format(insurance.minimum_stake) });
        }
      }
    }
  }

  /** @param {string} chance */
  function blank(chance) {
    const spot = places.get(chance);
    if (!spot) return;
    spot.price.textContent = "\u2013";
    spot.rate.textContent = "";
    spot.button.classList.remove("dear");
    spot.button.title = "";
    spot.label.textContent = `${texts.say("do.insure")}: ${felt.chanceName(chance)}`;
    delete spot.button.dataset["premium"];
  }

  /** @param {string} chance @param {Stake} stake @param {number} paid */
  function taken(chance, stake, paid) {
    const spot = places.get(chance);
    if (!spot) return;
    const percent = money.percent(paid, stake.amount);
    spot.price.textContent = paid ? money.format(paid) : texts.say("insurance.covered");
    spot.rate.textContent = paid ? percent : "";
    spot.button.classList.toggle("dear", paid > DEAR * stake.amount);
    spot.button.dataset["premium"] = String(paid);
    const name = paid ? texts.say("insurance.paid", { premium: money.format(paid), percent }) : texts.say("insurance.covered");
    spot.label.textContent = `${felt.chanceName(chance)}, ${name}`;
    spot.button.title = isFree(stake) ? texts.say("insurance.off", { chance: felt.chanceName(chance) }) : "";
    if (!isFree(stake)) spot.button.disabled = true;
  }

  /** @param {string} chance @param {Stake} stake @param {string} key */
  async function offer(chance, stake, key) {
    const premium = await bets.premium(stake);
    const spot = places.get(chance);
    if (!spot || spot.key !== key) return;
    if (premium === null) {
      blank(chance);
      spot.button.disabled = true;
      return;
    }
    const percent = money.percent(premium, stake.amount);
    spot.price.textContent = money.format(premium);
    spot.rate.textContent = percent;
    spot.button.classList.toggle("dear", premium > DEAR * stake.amount);
    spot.button.dataset["premium"] = String(premium);
    spot.label.textContent = texts.say("insurance.on", { chance: felt.chanceName(chance), premium: money.format(premium), percent });
  }

  /** Insure the stake of a chance, or take its insurance off. @param {string} chance */
  async function toggle(chance) {
    const stake = stakeOn(chance);
    if (!stake) return felt.tell(texts.say("insurance.nothing"));
    if (stake.insured) return isFree(stake) ? bets.uninsure(stake) : undefined;
    const premium = await bets.premium(stake);
    if (premium !== null && premium > ASKED * stake.amount && !asked && settings.get().confirm_insurance) {
      const percent = money.percent(premium, stake.amount);
      const values = { percent, premium: money.format(premium), amount: money.format(stake.amount), chance: felt.chanceName(chance) };
      const answered = await openDialog({
        title: texts.say("insurance.dear_title", values),
        body: texts.say("insurance.dear_body", values),
        name: "insurance",
        actions: [
          { value: "no", text: texts.say("insurance.dear_no") },
          { value: "yes", text: texts.say("insurance.dear_yes", values), kind: "main" },
        ],
      });
      if (answered !== "yes") return;
      asked = true;
    }
    bets.insure(stake);
  }

  return { render, toggle };
}
