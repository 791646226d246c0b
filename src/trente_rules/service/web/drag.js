/**
 * Chips by hand: a chip of the rack is dragged to a field, a stake out of its field is taken off.
 */

import { chipNode, stackNode } from "./chips.js";

/**
 * @import {Felt} from "./felt.js"
 * @import {Tableau} from "./tableau.js"
 */

const SLACK = 8; // a press that moves less is a tap

/**
 * Let chips be dragged; returns how to stop it, since the cloth stays when the felt is put there anew.
 * @param {Felt} felt
 * @param {{tableau: Tableau, rack: HTMLElement, cloth: HTMLElement}} places
 * @returns {() => void}
 */
export function enableDragging(felt, { tableau, rack, cloth }) {
  const { store, money, facts, bets } = felt;
  const worth = Number(facts.unit);
  const over = new AbortController();

  rack.addEventListener("pointerdown", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-chip]") : null;
    const units = Number(button?.getAttribute("data-chip") ?? 0);
    if (!button || !units) return;
    drag(event, button, () => /** @type {Element} */ (chipNode(units, money, worth)), (chance) => {
      store.set({ chip: units }, "hand");
      if (chance) bets.place(chance, units);
    });
  }, { signal: over.signal });

  cloth.addEventListener("pointerdown", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-chance]") : null;
    const chance = button?.getAttribute("data-chance") ?? "";
    const own = Number(button?.getAttribute("data-own") ?? 0);
    if (!button || !own || !store.get().known.betting) return;
    drag(event, button, () => stackNode(own, facts.chips, money, worth), (target) => {
      if (target === chance) return;
      bets.takeOff(chance, own);
      if (target) bets.place(target, own);
    });
  }, { signal: over.signal });

  /**
   * @param {PointerEvent} start
   * @param {Element} source
   * @param {() => Element} picture
   * @param {(chance: string | null) => void} drop
   */
  function drag(start, source, picture, drop) {
    if (start.button !== 0) return;
    /** @type {HTMLElement | null} */
    let ghost = null;
    const stop = new AbortController();
    const { signal } = stop;

    /** @param {PointerEvent} event */
    const under = (event) => {
      const node = document.elementFromPoint(event.clientX, event.clientY)?.closest(".field");
      return node?.querySelector("[data-chance]")?.getAttribute("data-chance") ?? null;
    };

    window.addEventListener("pointermove", (event) => {
      if (event.pointerId !== start.pointerId) return;
      const far = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY);
      // A finger that moves sideways over the rack scrolls it.
      if (!ghost && far > SLACK) {
        ghost = document.createElement("div");
        ghost.className = "ghost";
        ghost.append(picture());
        document.body.append(ghost);
        document.body.classList.add("dragging");
      }
      if (!ghost) return;
      ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -60%)`;
      tableau.aim(under(event));
    }, { signal });

    /** @param {PointerEvent} event */
    const end = (event) => {
      if (event.pointerId !== start.pointerId) return;
      stop.abort();
      tableau.aim(null);
      document.body.classList.remove("dragging");
      if (!ghost) return;
      ghost.remove();
      // The press began on a button: its click is not meant.
      const swallow = (/** @type {Event} */ click) => {
        click.preventDefault();
        click.stopImmediatePropagation();
      };
      window.addEventListener("click", swallow, { capture: true, once: true });
      window.setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0);
      if (event.type === "pointerup") drop(under(event));
    };
    window.addEventListener("pointerup", end, { signal });
    window.addEventListener("pointercancel", end, { signal });
    void source;
  }

  return () => over.abort();
}
