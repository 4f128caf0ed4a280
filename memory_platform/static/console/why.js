"use strict";
// The page works without this: links lead from a candidate to its place and back. This makes the whole card a target,
// shows the other half while one points at or focuses either, lets j and k walk through the candidates, and unfolds the
// part of the page that a link leads to.
document.addEventListener("DOMContentLoaded", () => {
  const cards = Array.from(document.querySelectorAll(".why-card"));
  const typing = (node) => node instanceof HTMLElement && (node.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(node.tagName));

  const unfold = (node) => {
    for (let fold = node && node.closest("details.why-fold"); fold; fold = fold.parentElement.closest("details.why-fold")) fold.open = true;
  };
  const unfoldNamed = () => {
    const named = document.getElementById(window.location.hash.slice(1));
    if (!named || !named.closest("details.why-fold:not([open])")) return;
    unfold(named);
    named.scrollIntoView({ block: "center" });
  };
  window.addEventListener("hashchange", unfoldNamed);
  unfoldNamed();

  const show = (node, shown) => node && node.classList.toggle("is-shown", shown);
  const pair = (node, other) => {
    for (const [event, shown] of [["mouseenter", true], ["mouseleave", false], ["focusin", true], ["focusout", false]]) {
      node.addEventListener(event, () => show(other, shown));
    }
  };

  for (const card of cards) {
    const place = card.dataset.place && document.getElementById(card.dataset.place);
    if (!place) continue;
    pair(card, place);
    pair(place, card);
    card.addEventListener("click", (event) => {
      const chosen = window.getSelection();
      if (event.target.closest("a, summary, details") || (chosen && String(chosen))) return;
      window.location.hash = place.id;
    });
  }

  document.addEventListener("keydown", (event) => {
    if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || !["j", "k"].includes(event.key)) return;
    const at = cards.findIndex((card) => card.contains(document.activeElement));
    const next = cards[at + (event.key === "j" ? 1 : -1)];
    const link = next && next.querySelector("a, summary");
    if (link) {
      unfold(next);
      link.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  });
});
