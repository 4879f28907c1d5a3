"use strict";
(function () {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const charts = read("charts"), tables = read("tables");
  const make = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });

  // On a phone the contents and the long lists are closed at first; on paper all is open.
  const narrow = matchMedia("screen and (max-width: 50rem)"), contents = document.querySelector("nav details");
  const fold = () => {
    contents.open = !narrow.matches;
    for (const d of document.querySelectorAll(".narrow-closed")) d.open = !narrow.matches;
  };
  fold();
  narrow.addEventListener("change", fold);
  contents.addEventListener("click", (e) => {
    if (narrow.matches && e.target.closest("a")) contents.open = false;
  });
  const closed = [];
  addEventListener("beforeprint", () => {
    for (const d of document.querySelectorAll("details:not([open]):not(.data):not(.raw)")) closed.push(d), (d.open = true);
    for (const place of document.querySelectorAll(".plot")) {
      start(place);
      place.leontief.setSize({ width: 680, height: 280 });
    }
  });
  addEventListener("afterprint", () => {
    for (const d of closed.splice(0)) d.open = false;
    for (const place of document.querySelectorAll(".plot")) place.leontief.setSize({ width: place.clientWidth || 640, height: 280 });
  });
  // A link to what is folded away unfolds it.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();

  // The place in the contents that is in sight.
  const links = new Map([...document.querySelectorAll("nav li > a")].map((a) => [a.hash.slice(1), a]));
  let current = null;
  const sight = new IntersectionObserver((seen) => {
    const now = seen.filter((e) => e.isIntersecting).map((e) => links.get(e.target.id)).pop();
    if (!now) return;
    if (current) current.removeAttribute("aria-current");
    current = now;
    now.setAttribute("aria-current", "true");
    const nav = contents.parentElement, box = now.getBoundingClientRect(), room = nav.getBoundingClientRect();
    if (!narrow.matches && (box.top < room.top || box.bottom > room.bottom)) nav.scrollTop += box.top - room.top - room.height / 2;
  }, { rootMargin: "-5% 0px -85% 0px" });
  for (const id of links.keys()) {
    const part = document.getElementById(id);
    if (part) sight.observe(part);
  }

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
    const label = chart.unit === "1" ? chart.label : chart.label + " (" + chart.unit + ")";
    if (place.leontief) place.leontief.destroy();
    const u = place.leontief = new uPlot({ // kept for tests, and for the curious
      width: place.clientWidth || 640,
      height: 280,
      scales: { x: { time: false } },
      cursor: { drag: { x: true, y: false } },
      axes: [{ label: "Time (" + unit.name + ")" }, { label: label, size: 64 }],
      series: [{ label: unit.name, value: value }].concat(curves.map((c) => ({
        label: c.label, stroke: c.color, width: 1.5, dash: c.dash || undefined, value: value, spanGaps: false, points: { show: false },
      }))),
    }, data, place);
    switches(u);
    touch(u);
  }

  // The names of the curves are switches, for the keyboard and screen readers too.
  function switches(u) {
    u.root.querySelectorAll(".u-legend .u-series").forEach((row, k) => {
      const head = row.querySelector("th");
      if (k === 0) return;
      head.tabIndex = 0;
      head.setAttribute("role", "switch");
      const say = () => head.setAttribute("aria-checked", u.series[k].show);
      say();
      head.addEventListener("click", () => setTimeout(say));
      head.addEventListener("keydown", (e) => {
        if (e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        u.setSeries(k, { show: !u.series[k].show });
        say();
      });
    });
  }

  const whole = (u) => ({ min: u.data[0][0], max: u.data[0][u.data[0].length - 1] });

  // Shows a span of times, within all there are.
  function show(u, min, max) {
    const all = whole(u);
    min = Math.max(min, all.min);
    max = Math.min(max, all.max);
    if (max - min > (all.max - all.min) / 1e4) u.setScale("x", { min, max });
  }
  // Zooms by a factor, so that what is at one part of the span in sight comes to another.
  function zoom(u, factor, at, to = at) {
    const { min, max } = u.scales.x, wide = (max - min) * factor, from = min + at * (max - min) - to * wide;
    show(u, from, from + wide);
  }
  function move(u, part) {
    const { min, max } = u.scales.x, all = whole(u);
    const by = Math.min(Math.max(part * (max - min), all.min - min), all.max - max);
    show(u, min + by, max + by);
  }
  const reset = (u) => u.setScale("x", whole(u));

  // One finger reads values, two zoom and move.
  function touch(u) {
    const fingers = new Map();
    let was = null;
    const spread = () => {
      const x = [...fingers.values()].sort((a, b) => a - b), box = u.over.getBoundingClientRect();
      return { wide: Math.max(x[1] - x[0], 10), at: ((x[0] + x[1]) / 2 - box.left) / box.width };
    };
    u.over.addEventListener("pointerdown", (e) => {
      if (e.pointerType !== "touch") return;
      fingers.set(e.pointerId, e.clientX);
      if (fingers.size === 2) was = spread();
    });
    u.over.addEventListener("pointermove", (e) => {
      if (!fingers.has(e.pointerId)) return;
      fingers.set(e.pointerId, e.clientX);
      const box = u.over.getBoundingClientRect();
      if (fingers.size === 1) u.setCursor({ left: e.clientX - box.left, top: e.clientY - box.top });
      if (fingers.size !== 2) return;
      const now = spread();
      zoom(u, was.wide / now.wide, was.at, now.at);
      was = now;
    });
    for (const end of ["pointerup", "pointercancel"]) u.over.addEventListener(end, (e) => fingers.delete(e.pointerId));
  }

  function keys(place, e) {
    const u = place.leontief;
    if (e.target !== place) return;
    const act = { ArrowLeft: () => move(u, -0.2), ArrowRight: () => move(u, 0.2), "+": () => zoom(u, 0.5, 0.5), "=": () => zoom(u, 0.5, 0.5), "-": () => zoom(u, 2, 0.5), 0: () => reset(u), Escape: () => reset(u) }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }

  function start(place) {
    if (place.leontief) return;
    const chart = charts[place.dataset.chart], tools = make("div", "");
    tools.className = "tools";
    place.before(tools);
    if (chart.users) {
      const label = make("label", "User "), select = document.createElement("select");
      label.className = "users";
      label.append(select);
      for (const user of chart.users) select.add(new Option(user));
      select.addEventListener("change", () => draw(place, chart, select.value));
      tools.append(label);
    }
    draw(place, chart, chart.users ? chart.users[0] : "");
    for (const [text, act] of [["Zoom in", (u) => zoom(u, 0.5, 0.5)], ["Zoom out", (u) => zoom(u, 2, 0.5)], ["Reset", reset]]) {
      const button = make("button", text);
      button.type = "button";
      button.addEventListener("click", () => act(place.leontief));
      tools.append(button);
    }
    tools.append(Object.assign(make("span", "Drag or pinch to zoom, a name switches its curve; keys: + − ← → 0."), { className: "hint" }));
    place.addEventListener("keydown", (e) => keys(place, e));
    new ResizeObserver(() => {
      const width = place.clientWidth;
      if (width && width !== place.leontief.width) place.leontief.setSize({ width, height: 280 });
    }).observe(place);
  }
  // Charts are drawn when they come near: a page of many opens at once.
  const near = new IntersectionObserver((seen) => {
    for (const e of seen) {
      if (!e.isIntersecting) continue;
      near.unobserve(e.target);
      start(e.target);
    }
  }, { rootMargin: "800px" });
  for (const place of document.querySelectorAll(".plot")) near.observe(place);

  for (const form of document.querySelectorAll("form.filter")) {
    const rows = [...document.querySelectorAll("#" + form.dataset.ledger + " tbody tr")];
    const search = form.querySelector("input"), output = form.querySelector("output");
    const wanted = [...form.querySelectorAll("select")];
    let texts = null; // of the rows, with their reasons
    const textOf = (row) => {
      const why = row.querySelector(".because"), reason = why && document.getElementById(why.hash.slice(1));
      return (row.textContent + " " + (reason ? reason.textContent : "")).toLowerCase();
    };
    const update = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length && !texts) texts = new Map(rows.map((r) => [r, textOf(r)]));
      let shown = 0;
      for (const row of rows) {
        const fits = wanted.every((s) => !s.value || row.dataset[s.name] === s.value) && words.every((w) => texts.get(row).includes(w));
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

  // A head of a column sorts by it: numbers by size, what has none last.
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0], rows = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, k) => {
      const button = make("button", head.textContent);
      button.type = "button";
      button.className = "sort";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const h of table.tHead.rows[0].cells) h.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = new Map(rows.map((r) => {
          const text = r.cells[k].textContent.trim(), number = parseFloat(text.replace(/^[\[+]+/, ""));
          return [r, head.classList.contains("num") ? number : text];
        }));
        const order = rows.slice().sort((a, b) => {
          const x = key.get(a), y = key.get(b);
          if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
          const d = typeof x === "number" ? x - y : x.localeCompare(y, "en", { numeric: true });
          return down ? -d : d;
        });
        body.append(...order);
      });
    });
  }

  // What a download holds is packed: CSV, deflated.
  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).blob();
  }
  for (const button of document.querySelectorAll("button[data-table]")) {
    button.addEventListener("click", async () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([await unpack(tables[button.dataset.table])], { type: "text/csv" }));
      link.download = button.dataset.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
})();
