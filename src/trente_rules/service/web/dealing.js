/**
 * The pace at which a player is shown what has happened: steps in a queue, each with its time.
 *
 * The service deals a coup in one moment; people watch it card by card. Nothing of the game waits
 * for this queue: a click shows all that is left at once.
 */

/** @typedef {{kind: string, show: () => void}} Step */

/** @type {{[kind: string]: number}} how long a step is looked at, where a card is 1 */
const TIMES = {
  "bets-closed": 1,
  "card-turned": 1,
  "card-burned": 1.3,
  "marker-shown": 1.6,
  "row-complete": 1.6,
  "coup-dealt": 1.8,
  taken: 0.9,
  paid: 1.2,
  held: 1,
  "coup-settled": 0.8,
  "coup-voided": 1.6,
  "cut-made": 0.8,
  burned: 1.3,
};
const OF_CARDS = new Set(["card-turned", "row-complete", "coup-dealt"]);
const COUPS_BEHIND = 2; // more than this is caught up with at once

/**
 * @typedef {object} Dealing
 * @property {(steps: Step[]) => void} push
 * @property {() => boolean} skip    show all that is left at once; whether cards were among it
 * @property {() => boolean} busy
 */

/**
 * Return a queue that shows steps at the pace of the settings.
 * @param {() => number} pace milliseconds between two cards, from the settings
 * @param {(busy: boolean) => void} changed called when the queue fills and when it is empty
 * @returns {Dealing}
 */
export function createDealing(pace, changed) {
  /** @type {Step[]} */
  let queue = [];
  let running = false;
  let hurry = false;
  /** @type {(() => void) | null} */
  let wake = null;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");

  /** @param {Step} step */
  const time = (step) => {
    if (hurry || still.matches || document.hidden) return 0;
    if (queue.filter((each) => each.kind === "coup-dealt").length > COUPS_BEHIND) return 0;
    return (TIMES[step.kind] ?? 0) * pace();
  };

  /** @param {number} ms */
  const pause = (ms) => new Promise((resolve) => {
    const timer = window.setTimeout(done, ms);
    wake = done;
    function done() {
      clearTimeout(timer);
      wake = null;
      resolve(undefined);
    }
  });

  const run = async () => {
    running = true;
    for (let step = queue.shift(); step; step = queue.shift()) {
      step.show();
      const ms = time(step);
      if (ms > 0) {
        changed(true);
        await pause(ms);
      }
    }
    running = hurry = false;
    changed(false);
  };

  return {
    push: (steps) => {
      queue.push(...steps);
      if (!running) void run();
    },
    skip: () => {
      if (!running) return false;
      const cards = queue.some((each) => OF_CARDS.has(each.kind));
      hurry = true;
      wake?.();
      return cards;
    },
    busy: () => running,
  };
}
