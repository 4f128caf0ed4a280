/* Draws the charts of a dashboard from the numbers in the page. The tables beside them need none of this. */
"use strict";
(function () {
  const held = document.getElementById("figures-drawn");
  if (!held || typeof Chart === "undefined") { return; }
  const figures = JSON.parse(held.textContent);
  const marks = ["circle", "rect", "triangle", "rectRot", "star", "crossRot"];
  const lang = document.documentElement.lang || "en";
  const number = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 });
  const share = new Intl.NumberFormat(lang, { style: "percent", maximumFractionDigits: 1 });
  const money = new Intl.NumberFormat(lang, { maximumFractionDigits: 4 });
  const say = { count: (v) => number.format(v), percent: (v) => share.format(v), ms: (v) => number.format(v) + " ms", money: (v) => money.format(v) };
  const charts = [];

  // A property holds the light and the dark colour; only a colour that is used is one of them.
  const probe = document.body.appendChild(document.createElement("i"));
  function colour(name) {
    probe.style.color = "var(" + name + ")";
    return getComputedStyle(probe).color;
  }

  function line(one, index) {
    const ink = colour("--chart-" + (index % 6 + 1));
    return {
      label: one.name, data: one.values, borderColor: ink, backgroundColor: ink, borderWidth: 2, pointRadius: 2,
      pointStyle: marks[index % 6], spanGaps: true, tension: 0,
    };
  }

  // The area that meets the target, up to the edge of the chart.
  function band(target) {
    return {
      label: target.name, data: figures.days.map(() => target.value), borderColor: colour("--good"), borderWidth: 1,
      borderDash: [6, 4], pointRadius: 0, pointStyle: "line", backgroundColor: colour("--target-band"),
      fill: target.is_above ? "end" : "start",
    };
  }

  function draw(chart) {
    const place = document.querySelector('[data-chart="' + chart.key + '"]');
    if (!place) { return; }
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-hidden", "true"); // the table beside it says the same
    place.replaceChildren(canvas);
    const ink = colour("--body-quiet-color"), grid = colour("--hairline-color"), shown = say[chart.unit];
    charts.push(new Chart(canvas, {
      type: "line",
      data: {
        labels: figures.days,
        datasets: chart.lines.map(line).concat(chart.band ? [band(chart.band)] : []),
      },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false,
        interaction: { mode: "index", intersect: false },
        scales: {
          x: { ticks: { color: ink, maxTicksLimit: 3, maxRotation: 0 }, grid: { color: grid } },
          y: { beginAtZero: true, ticks: { color: ink, maxTicksLimit: 4, callback: (value) => shown(value) }, grid: { color: grid } },
        },
        plugins: {
          legend: { display: chart.lines.length > 1 || figures.grouped, labels: { color: ink, usePointStyle: true, boxHeight: 6 } },
          tooltip: { callbacks: { label: (item) => item.dataset.label + ": " + shown(item.parsed.y) } },
        },
      },
    }));
  }

  function drawAll() {
    charts.splice(0).forEach((chart) => chart.destroy());
    figures.charts.forEach(draw);
  }

  new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  drawAll();
})();
