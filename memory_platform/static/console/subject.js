"use strict";
// "/" leads to the box that finds a person, from anywhere but a field that one writes in.
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest("input, textarea, select, [contenteditable]");
  const box = document.querySelector(".find-box input[type=search]");
  if (event.key !== "/" || writing || event.ctrlKey || event.metaKey || event.altKey || !box) return;
  event.preventDefault();
  box.focus();
  box.select();
});

// The slider tells its moment in the date field beside it, and shows it when it is let go of.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector(".moment");
  if (!form) return;
  const slider = form.querySelector("input[type=range]");
  const field = form.querySelector("input[type=datetime-local]");
  const start = Number(form.dataset.start) * 1000;
  slider.addEventListener("input", () => {
    const last = slider.value === slider.max;
    const at = new Date(start + ((Date.now() - start) * Number(slider.value)) / Number(slider.max));
    field.value = last ? "" : at.toISOString().slice(0, 19);
    slider.setAttribute("aria-valuetext", field.value.replace("T", " "));
  });
  slider.addEventListener("pointerup", () => form.requestSubmit(form.querySelector("button[value=slider]")));
});

// A letter prints, without what is around it: the style sheet leaves that out.
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) window.print();
});

// A file that a form answers with leaves the page as it is. Its answer sets a cookie, by which the page knows of it.
document.addEventListener("submit", (event) => {
  const told = event.target.querySelector("[data-downloaded]");
  if (!told) return;
  const mark = `${told.dataset.downloaded}=`;
  told.hidden = true;
  document.cookie = `${mark}; Max-Age=0; Path=${location.pathname}; SameSite=Strict`;
  const waiting = setInterval(() => {
    if (!document.cookie.split("; ").some((one) => one.startsWith(mark))) return;
    clearInterval(waiting);
    told.hidden = false;
  }, 300);
});
