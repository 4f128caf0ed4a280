"use strict";
// The form works without this: the policy that is chosen is not offered a second time, and who opens the other settings
// compares with them.
document.addEventListener("DOMContentLoaded", () => {
  const left = document.getElementById("id_left");
  const right = document.getElementById("id_right");
  const show = () => {
    for (const option of right.options) option.hidden = option.disabled = option.value === left.value;
    if (right.selectedOptions[0].disabled) right.value = "";
  };
  left.addEventListener("change", show);
  show();
  document.querySelector(".play-draft")?.addEventListener("toggle", (event) => {
    if (event.target.open && right.value === "" && left.value !== "draft") right.value = "draft";
  });
});
