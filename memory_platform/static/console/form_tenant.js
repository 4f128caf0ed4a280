"use strict";
// Who goes back to a page, or reloads it, finds their words in its fields: the browser puts them there, also where the
// page is another tenant's by now. It fills the field below in the same way, which tells for whom they were typed.
// (A field of the type "hidden" would not be filled. It stands in no form and is never sent.)
window.addEventListener("pageshow", () => {
  const typed = document.getElementById("typed-for");
  if (!typed) return;
  const now = typed.dataset.tenant;
  if (typed.value && typed.value !== now) Array.from(document.forms).forEach((form) => form.reset());
  typed.value = now;
});
