// Keys of the review queue: j k a r e s u ?, never while somebody types, and off where they are not wanted.
"use strict";
(() => {
  const desk = document.querySelector(".review");
  const form = document.getElementById("review-form");
  const reason = document.getElementById("id_reason");
  const keys = document.getElementById("review-keys");
  const switched = document.getElementById("review-keys-on");
  const needed = document.getElementById("reason-needed");
  if (!desk) return;
  const REMEMBERED = "review-keys";
  // A text area for a single value has so many rows at most; that for a list has more.
  const MAX_ROWS_OF_ONE_LINE = 3;
  // An empty queue has no list of the keys, but its last decision can still be undone.
  const isOn = () => localStorage.getItem(REMEMBERED) !== "off";
  if (switched) {
    switched.checked = isOn();
    switched.addEventListener("change", () => localStorage.setItem(REMEMBERED, switched.checked ? "on" : "off"));
  }
  const press = (verb) => form && Array.from(form.elements).find((one) => one.name === "verb" && one.value === verb).click();
  const go = (address) => { if (address) window.location.assign(address); };
  let isRejecting = false;
  const reject = () => {
    if (!form) return;
    if (reason.value.trim()) { press("reject"); return; }
    isRejecting = true;
    needed.hidden = false;
    reason.focus();
  };
  const edit = () => {
    const part = form && form.querySelector(".review-edit");
    if (!part) return;
    part.open = true;
    part.querySelector("textarea, input, select").focus();
  };
  const help = () => { if (!keys) return; keys.open = !keys.open; if (keys.open) keys.querySelector("summary").focus(); };
  const acts = {
    a: () => press("accept"), r: reject, e: edit, s: () => go(desk.dataset.next),
    u: () => { const undo = document.querySelector("#review-undo button"); if (undo) undo.click(); },
    j: () => go(desk.dataset.next), k: () => go(desk.dataset.previous), "?": help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat || !isOn()) return;
    const at = event.target;
    if (at.isContentEditable || at.matches("textarea, select, input:not([type=checkbox])")) return;
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  });
  if (reason) {
    reason.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { isRejecting = false; needed.hidden = true; reason.blur(); }
      if (event.key !== "Enter" || event.isComposing || !isRejecting) return;
      event.preventDefault();
      press("reject");
    });
  }
  const part = form && form.querySelector(".review-edit");
  if (part) {
    // In a value of one line, Enter accepts the edit; Shift+Enter, and a value of several lines, begin a new one.
    part.addEventListener("keydown", (event) => {
      const at = event.target;
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      if (!at.matches("input, select, textarea") || (at.rows || 1) > MAX_ROWS_OF_ONE_LINE) return;
      event.preventDefault();
      press("edit");
    });
  }
  if (form) {
    // A second click while the first is on its way sends nothing.
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) { event.preventDefault(); return; }
      form.dataset.sent = "yes";
    });
    window.addEventListener("pageshow", () => { delete form.dataset.sent; });
  }
})();
