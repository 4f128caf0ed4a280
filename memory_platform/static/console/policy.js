"use strict";
// The forms of policies and experiments work without this script: it counts changes while one types, adds rows without
// asking the server, and adds up the shares of arms.

// What a setting holds, to compare with what the version that the form starts from holds.
const inputsOf = (setting) => Array.from(setting.querySelectorAll("input[name], select[name], textarea[name]"));
const isAlike = (one, other) => one === other || (one !== "" && other !== "" && Number(one) === Number(other));
const readSetting = (setting) => {
  const inputs = inputsOf(setting);
  const boxes = inputs.filter((one) => one.type === "checkbox");
  return boxes.length ? boxes.filter((one) => one.checked).map((one) => one.value).join(",") : inputs[0].value;
};
const isUnlikeAtFirst = (input) =>
  input.tagName === "SELECT"
    ? Array.from(input.options).some((one) => one.selected !== one.defaultSelected && (one.value || one.defaultSelected))
    : input.value !== input.defaultValue;

document.addEventListener("DOMContentLoaded", () => {
  const settings = Array.from(document.querySelectorAll("[data-setting]"));
  const told = document.querySelector("[data-changed]");
  const edited = new Set(settings.filter((one) => one.matches(".is-edited")));
  const count = () => {
    settings.forEach((one) => {
      const base = one.dataset.base;
      const changed = base === undefined ? edited.has(one) || inputsOf(one).some(isUnlikeAtFirst) : !isAlike(readSetting(one), base);
      one.classList.toggle("is-edited", changed);
    });
    const changes = settings.filter((one) => one.matches(".is-edited")).length;
    if (told) told.textContent = changes === 1 ? told.dataset.one : told.dataset.many.replace("#", changes);
  };
  const addUp = () => {
    document.querySelectorAll("[data-total]").forEach((total) => {
      const shares = total.closest("[data-rows]").querySelectorAll("input[type=number]");
      total.textContent = Array.from(shares).reduce((sum, one) => sum + Number(one.value), 0);
    });
  };
  // Budgets of a context: the parts together against the whole.
  const whole = document.querySelector("[name=context__total]");
  const overfull = document.querySelector("[data-overfull]");
  const weigh = () => {
    if (!whole || !overfull) return;
    const parts = overfull.closest("details").querySelectorAll("[data-budget-part] input");
    const sum = Array.from(parts).reduce((all, one) => all + Number(one.value), 0);
    overfull.hidden = sum <= Number(whole.value);
    overfull.querySelector("[data-parts]").textContent = sum;
    overfull.querySelector("[data-whole]").textContent = whole.value;
  };
  document.addEventListener("input", () => {
    weigh();
    count();
    addUp();
  });
  // Going back to the page, the browser has put in again what was typed.
  window.addEventListener("pageshow", () => {
    count();
    addUp();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-add-row]");
    if (!button) return;
    event.preventDefault();
    const list = button.closest("[data-rows]");
    const rows = list.querySelectorAll("[data-row]");
    const row = rows[rows.length - 1].cloneNode(true);
    row.querySelectorAll("[name]").forEach((one) => {
      one.name = one.name.replace(/__\d+__/, `__${rows.length}__`);
      one.removeAttribute("value");
      one.value = "";
      if (one.tagName === "TEXTAREA") one.textContent = "";
      Array.from(one.options || []).forEach((option, place) => {
        option.defaultSelected = place === 0;
        option.selected = place === 0;
      });
    });
    rows[rows.length - 1].after(row);
    button.hidden = rows.length + 1 >= Number(list.dataset.most);
    row.querySelector("[name]").focus();
  });
});
