"use strict";
// The token stands behind the "#" of the link, where neither the server nor any log sees it. It moves into the form, and
// leaves the address bar and the history before anything else is loaded from here.
const opening = document.getElementById("open-invitation");
const sendToken = () => {
  if (location.hash.length < 2) return;
  opening.elements.token.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  opening.submit();
};
if (opening) {
  sendToken();
  window.addEventListener("hashchange", sendToken);
}
// Sent twice, an invitation would be found used: the first sending counts.
document.querySelectorAll("form.once").forEach((form) => {
  let isSent = false;
  form.addEventListener("submit", (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  window.addEventListener("pageshow", () => { isSent = false; });
});

// A new tenant's short name follows its name until somebody types one.
document.addEventListener("DOMContentLoaded", () => {
  const name = document.querySelector("#id_name");
  const slug = document.querySelector("#id_slug");
  if (!name || !slug || slug.value) return;
  let isTyped = false;
  slug.addEventListener("input", () => { isTyped = slug.value !== ""; });
  name.addEventListener("input", () => {
    if (isTyped) return;
    slug.value = name.value.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 63);
  });
});
