"use strict";
// The form works without this: it shows the old and the new value side by side while one types.
document.addEventListener("DOMContentLoaded", () => {
  for (const line of document.querySelectorAll(".act-change")) {
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
