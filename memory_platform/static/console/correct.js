"use strict";
// The forms work without this: it shows the old and the new value side by side while one types, and of a merge what ends.
document.addEventListener("DOMContentLoaded", () => {
  for (const line of document.querySelectorAll(".act-change[data-choice]")) {
    const form = line.closest("form");
    const button = form.querySelector("[type=submit]");
    const show = () => {
      const chosen = form.querySelector(`[name="${line.dataset.choice}"]:checked`);
      button.disabled = line.hidden = !chosen;
      line.querySelector("del").textContent = chosen ? chosen.closest("label").textContent.trim() : "";
    };
    form.addEventListener("change", show);
    show();
  }
  for (const line of document.querySelectorAll(".act-change[data-field]")) {
    const field = document.getElementById(line.dataset.field);
    if (!field) continue;
    const value = () => (field.tagName === "SELECT" ? field.selectedOptions[0].textContent : field.value).trim();
    const before = value();
    const show = () => {
      line.hidden = value() === before;
      line.querySelector("ins").textContent = value();
    };
    field.addEventListener("input", show);
  }
});
