"use strict";
(function () {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const charts = read("charts"), tables = read("tables");

  // A time in the unit that fits the whole axis.
  function unitOf(span) {
    for (const [name, s] of [["weeks", 604800], ["days", 86400], ["hours", 3600], ["minutes", 60]]) {
      if (span >= 3 * s) return { name, s };
    }
    return { name: "seconds", s: 1 };
  }

  // The chart of the curves of one user, or of all where they are nobody's.
  function draw(place, chart, user) {
    const curves = chart.curves.filter((c) => !chart.users || c.user === user);
    const span = chart.times.length ? chart.times[chart.times.length - 1] - chart.times[0] : 0;
    const unit = unitOf(span);
    const data = [chart.times.map((t) => t / unit.s)].concat(curves.map((c) => c.values || []));
    const value = (u, v) => (v == null ? "–" : Number(v.toPrecision(5)).toString());
    const label = chart.unit === "1" ? chart.metric : chart.metric + " (" + chart.unit + ")";
    if (place.leontief) place.leontief.destroy();
    place.leontief = new uPlot({ // kept for tests, and for the curious
      width: place.clientWidth || 640,
      height: 280,
      scales: { x: { time: false } },
      cursor: { drag: { x: true, y: false } },
      axes: [{ label: "Time (" + unit.name + ")" }, { label: label, size: 64 }],
      series: [{ label: unit.name, value: value }].concat(curves.map((c) => ({
        label: c.label, stroke: c.color, width: 1.5, dash: c.dash || undefined, value: value, spanGaps: false, points: { show: false },
      }))),
    }, data, place);
  }

  for (const place of document.querySelectorAll(".plot")) {
    const chart = charts[place.dataset.chart];
    const chosen = chart.users ? chart.users[0] : "";
    draw(place, chart, chosen);
    if (chart.users) {
      const label = document.createElement("label"), select = document.createElement("select");
      label.className = "users";
      label.append("User ", select);
      for (const user of chart.users) select.add(new Option(user));
      select.addEventListener("change", () => draw(place, chart, select.value));
      place.before(label);
    }
    new ResizeObserver(() => {
      const width = place.clientWidth;
      if (width && width !== place.leontief.width) place.leontief.setSize({ width, height: 280 });
    }).observe(place);
  }

  for (const form of document.querySelectorAll("form.filter")) {
    const rows = [...document.querySelectorAll("#" + form.dataset.ledger + " tbody tr")];
    const verdict = form.querySelector("select"), search = form.querySelector("input"), output = form.querySelector("output");
    const update = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const fits = (!verdict.value || row.dataset.verdict === verdict.value) && words.every((w) => text.includes(w));
        row.hidden = !fits;
        row.style.display = fits ? "" : "none";
        if (fits) shown++;
      }
      output.textContent = shown + " of " + rows.length + " entries";
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", (e) => e.preventDefault());
    update();
  }

  const quote = (s) => (/[",\r\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s);
  for (const button of document.querySelectorAll("button[data-table]")) {
    button.addEventListener("click", () => {
      const lines = tables[button.dataset.table].map((row) => row.map(quote).join(","));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
      link.download = button.dataset.name;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }
})();
