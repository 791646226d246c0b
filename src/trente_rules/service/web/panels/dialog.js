/** Modal dialogs: the browser's own, which keep the focus inside and give it back. */

import { el, fresh } from "./dom.js";

/** @typedef {{value: string, text: string, kind?: "main" | "danger"}} Action */

/**
 * Open a dialog with a body of one's own; it is closed by `close(value)`, Escape, or a press outside.
 * @param {{title: string, body?: (Node | string | null | false)[], name?: string, class?: string, firm?: boolean}} given `firm`: a press outside does not close it
 * @returns {{dialog: HTMLDialogElement, content: HTMLElement, closed: Promise<string>, close: (value?: string) => void}}
 */
export function show(given) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const id = fresh("dialog");
  const content = el("div", { class: "p-dialog-body" }, ...(given.body ?? []));
  const dialog = el(
    "dialog",
    {
      class: `p-dialog ${given.class ?? ""}`.trim(),
      "aria-labelledby": id,
      data: { dialog: given.name },
    },
    el("h2", { id, class: "p-dialog-title", tabindex: "-1" }, given.title),
    content,
  );
  document.body.append(dialog);
  const closed = new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before?.isConnected) before.focus();
      resolve(dialog.returnValue);
    });
  });
  if (!given.firm) {
    dialog.addEventListener("pointerdown", (event) => {
      if (event.target === dialog && outside(dialog, event)) dialog.close("");
    });
  }
  dialog.showModal();
  return {
    dialog,
    content,
    closed: /** @type {Promise<string>} */ (closed),
    close: (value = "") => dialog.close(value),
  };
}

/**
 * @param {HTMLElement} dialog
 * @param {PointerEvent} event
 */
function outside(dialog, event) {
  const box = dialog.getBoundingClientRect();
  return (
    event.clientX < box.left ||
    event.clientX > box.right ||
    event.clientY < box.top ||
    event.clientY > box.bottom
  );
}

/**
 * Ask a question with a few answers; empty where it was closed without one.
 * The first action has the focus, so the harmless one comes first.
 * @param {{title: string, body?: (Node | string)[] | string, actions: readonly Action[], name?: string}} given
 * @returns {Promise<string>}
 */
export function ask(given) {
  const body = typeof given.body === "string" ? [el("p", {}, given.body)] : (given.body ?? []);
  const opened = show({ title: given.title, body, ...(given.name ? { name: given.name } : {}) });
  const row = el(
    "div",
    { class: "p-actions" },
    given.actions.map((action) =>
      el(
        "button",
        {
          type: "button",
          class: action.kind ? `p-button p-${action.kind}` : "p-button",
          data: { answer: action.value },
          onclick: () => opened.close(action.value),
        },
        action.text,
      ),
    ),
  );
  opened.content.append(row);
  /** @type {HTMLElement | null} */ (row.firstElementChild)?.focus();
  return opened.closed;
}

export { ask as openDialog };
