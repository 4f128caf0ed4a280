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
