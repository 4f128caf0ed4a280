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
    const names = [...table.querySelectorAll("thead th")].map((one) => one.textContent.trim());
    [...table.querySelectorAll("tbody tr")].forEach((row) => {
      [...row.cells].forEach((cell, index) => {
        const isEmpty = ["", "-"].includes(cell.textContent.trim()) && !cell.querySelector("input, img");
        if (isEmpty) cell.dataset.column = "";
        else if (cell.tagName === "TD" && names[index]) cell.dataset.column = names[index];
      });
    });
  });
});
