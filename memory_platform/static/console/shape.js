"use strict";
// What one copies: an id behind a button, or a call that stands on the page.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const source = document.getElementById(button.dataset.copyFrom || "");
  const words = source ? source.textContent : button.dataset.copy;
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    // Without HTTPS a browser offers no clipboard: select the words in a field and copy them from there.
    const field = document.createElement("textarea");
    field.value = words;
    field.className = "visually-hidden";
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }
  button.parentElement.querySelectorAll(".copied").forEach((one) => one.remove());
  const told = document.createElement("span");
  told.className = "copied";
  told.setAttribute("role", "status");
  button.after(told);
  told.textContent = button.dataset.copied;
  setTimeout(() => told.remove(), 2000);
});

// Where one is stands in view in the menu, also where all lists are open.
const showCurrentEntry = () => {
  const menu = document.getElementById("menu");
  const current = menu && menu.querySelector("[aria-current]");
  if (!current) return;
  const place = current.getBoundingClientRect();
  const frame = menu.getBoundingClientRect();
  if (place.bottom > frame.bottom || place.top < frame.top) {
    menu.scrollTop += place.top - frame.top - frame.height / 2;
  }
};
document.addEventListener("DOMContentLoaded", () => {
  showCurrentEntry();
  const menu = document.getElementById("menu");
  if (menu) menu.addEventListener("toggle", showCurrentEntry);
});

// On a phone a row of these tables is a card, where each value carries the name of its column; what is empty is left out.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("#result_list, .console-table:is(.known, .play-rows)").forEach((table) => {
    const names = [...table.querySelectorAll("thead th")].map((one) => {
      const name = one.textContent.trim();
      return one.querySelector("bdi") ? name : name.charAt(0).toUpperCase() + name.slice(1); // an id is left as it is
    });
    [...table.querySelectorAll("tbody tr")].forEach((row) => {
      [...row.cells].forEach((cell, index) => {
        const isEmpty = ["", "-"].includes(cell.textContent.trim()) && !cell.querySelector("input, img");
        if (isEmpty) cell.dataset.column = "";
        else if (cell.tagName === "TD" && names[index]) cell.dataset.column = names[index];
      });
    });
  });
});

// A list of first steps that are not done yet asks every two seconds, for half an hour, whether they are.
const ASK_EVERY_MS = 2000;
const STOP_AFTER_MS = 30 * 60 * 1000;
document.querySelectorAll("ol[data-progress]").forEach((list) => {
  const started = Date.now();
  const showProgress = async () => {
    const left = [...list.querySelectorAll("li[data-step]:not(.is-done)")];
    if (Date.now() - started > STOP_AFTER_MS) return;
    try {
      const done = await (await fetch(list.dataset.progress)).json();
      // The page of another tenant, or a session that is over: there is nothing to wait for.
      if (!("key" in done)) return;
      left.filter((step) => done[step.dataset.step]).forEach((step) => {
        step.classList.add("is-done");
        const state = step.querySelector(".step-state");
        state.textContent = state.dataset.done || "✓";
      });
      // What the newest context holds: one that was asked for too early holds nothing, and another may follow.
      const last = list.querySelector("li[data-step=context].is-done .step-state");
      if (last && done.told && last.textContent !== done.told) last.textContent = done.told;
    } catch { /* The next try may reach the platform again. */ }
    setTimeout(showProgress, ASK_EVERY_MS);
  };
  setTimeout(showProgress, ASK_EVERY_MS);
});

// The page of something that is under way loads again until it is over.
document.querySelectorAll("[data-reload-ms]").forEach((one) => {
  setTimeout(() => location.reload(), Number(one.dataset.reloadMs));
});
