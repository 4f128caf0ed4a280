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

// If the session is over when a form is sent, one logs in and comes back to the form. What was typed waits for that in
// this tab, for the same person and tenant, and no longer: the next page that is not the log-in's takes it away.
const UNSENT = "unsent form";
const KEPT_FORMS = "form.act-form:not(:has([type=password]))";
const nameOwner = () => {
  const typed = document.getElementById("typed-for");
  return typed && `${typed.dataset.tenant} ${typed.dataset.person}`;
};
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!nameOwner() || !form.matches(KEPT_FORMS)) return;
  const fields = [...new FormData(form)].filter(([name, value]) => typeof value === "string" && name !== "csrfmiddlewaretoken");
  const path = new URL(form.action).pathname;
  sessionStorage.setItem(UNSENT, JSON.stringify({ path, owner: nameOwner(), fields }));
});
document.addEventListener("DOMContentLoaded", () => {
  const unsent = JSON.parse(sessionStorage.getItem(UNSENT));
  if (!unsent) return;
  if (document.body.classList.contains("login")) {
    sessionStorage.setItem(UNSENT, JSON.stringify({ ...unsent, isLate: true }));
    return;
  }
  sessionStorage.removeItem(UNSENT);
  const form = document.querySelector(KEPT_FORMS);
  if (!form || !unsent.isLate || unsent.owner !== nameOwner() || unsent.path !== location.pathname) return;
  for (const field of form.elements) {
    const values = unsent.fields.filter(([name]) => name === field.name).map(([, value]) => value);
    if (["checkbox", "radio"].includes(field.type)) field.checked = values.includes(field.value);
    else if (values.length && !["hidden", "submit"].includes(field.type)) [field.value] = values;
    else continue;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
});
