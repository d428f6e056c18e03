// A cell's history as a chart with zoom; the run under the pointer, or chosen by arrow keys, is described in words.
// Replaces the line for readers without scripts.
(function () {
  "use strict";
  var DAY = 86400, NEAR = 1.3;
  var figure = document.querySelector("figure[data-history]");
  if (!figure || typeof uPlot === "undefined") return;
  var table = JSON.parse(document.getElementById(figure.dataset.history).textContent);

  function column(name) {
    var place = table.columns.indexOf(name);
    return table.rows.map(function (row) { return row[place]; });
  }

  var rows = table.rows.map(function (row, place) { return place; }).filter(function (place) {
    return isFinite(Date.parse(column("date")[place]));
  });
  function values(name) {
    var all = column(name);
    return rows.map(function (place) { return all[place]; });
  }
  var dates = values("date"), nights = values("night"), commits = values("commit"), policies = values("policy"),
      codes = values("machine code"), speeds = values("GB/s"), statuses = values("status"), ours = values("us");
  var xs = dates.map(function (date) { return Date.parse(date) / 1000; });
  if (xs.length < 2) return;
  var others = table.columns.filter(function (name) {
    return name !== "us" && / us$/.test(name) && values(name).some(function (value) { return value !== null; });
  });

  // The first runs with another policy or other machine code.
  function changes(list) {
    var found = [], last = null;
    list.forEach(function (value, place) {
      if (value && last && value !== last) found.push(place);
      last = value || last;
    });
    return found;
  }
  var newPolicies = changes(policies), newCodes = changes(codes);

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }

  function middle(list) {
    var known = list.filter(function (value) { return value !== null; }).sort(function (a, b) { return a - b; });
    return known.length ? known[known.length >> 1] : null;
  }

  var told = document.createElement("output"), bar = document.createElement("p"), holder = document.createElement("div");
  told.className = "told";
  bar.className = "range";
  holder.tabIndex = 0;
  holder.setAttribute("role", "group");
  holder.setAttribute("aria-label", "History: arrow keys tell the runs one by one; drag to zoom, double click to see all");
  figure.querySelector(".still").replaceWith(bar, holder, told);
  var key = [newPolicies.length && "dotted: another policy", newCodes.length && "dashed: other machine code"].filter(Boolean);
  if (key.length) {
    var legend = document.createElement("p");
    legend.className = "quiet";
    legend.textContent = "Every run; " + key.join("; ") + ".";
    told.after(legend);
  }

  function tell(place) {
    if (place === null || place === undefined) { told.textContent = ""; return; }
    var words = [nights[place], ours[place] === null ? statuses[place] : ours[place] + " µs"];
    if (speeds[place] !== null) words.push(speeds[place] + " GB/s");
    others.forEach(function (name) {
      var value = values(name)[place];
      if (value !== null) words.push(name.replace(/ us$/, "") + " " + value + " µs");
    });
    if (commits[place]) words.push("commit " + commits[place].slice(0, 7));
    if (codes[place]) words.push("machine code " + codes[place]);
    if (policies[place]) words.push(policies[place].replace(/,/g, ", "));
    told.textContent = words.join(" · ");
  }

  function marks(chart) {
    var pen = chart.ctx, box = chart.bbox;
    pen.save();
    [[newPolicies, "cub", [2, 2]], [newCodes, "muted", [6, 3]]].forEach(function (kind) {
      pen.strokeStyle = colour(kind[1]);
      pen.lineWidth = devicePixelRatio;
      pen.setLineDash(kind[2].map(function (one) { return one * devicePixelRatio; }));
      kind[0].forEach(function (place) {
        var x = chart.valToPos(xs[place], "x", true);
        if (x < box.left || x > box.left + box.width) return;
        pen.beginPath();
        pen.moveTo(x, box.top);
        pen.lineTo(x, box.top + box.height);
        pen.stroke();
      });
    });
    pen.restore();
  }

  var chart, cursor = null, roles = ["cub", "thrust", "cuda", "muted"], dashes = [[6, 3], [2, 3], [8, 3, 2, 3], [1, 3]];
  function axis(label) {
    return { label: label, labelSize: 18, stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 },
             ticks: { stroke: colour("line"), width: 1 }, font: "12px system-ui, sans-serif",
             labelFont: "12px system-ui, sans-serif" };
  }

  function draw() {
    var range = chart && [chart.scales.x.min, chart.scales.x.max];
    if (chart) chart.destroy();
    var level = middle(ours);
    var lines = [{ value: function (self, raw) { return raw === null ? "–" : new Date(raw * 1000).toISOString().slice(0, 10); },
                   label: "night" },
                 { label: "ours", stroke: colour("ours"), width: 2, spanGaps: true, points: { show: xs.length < 60, size: 6 } }];
    others.forEach(function (name, place) {
      var own = middle(values(name)), near = own && level && own / level < NEAR && level / own < NEAR;
      lines.push({ label: name.replace(/ us$/, ""), stroke: colour(roles[place % 4]), dash: dashes[place % 4], width: 1.5,
                   spanGaps: true, show: Boolean(near), points: { show: false } });
    });
    chart = new uPlot({
      width: Math.max(280, holder.clientWidth), height: innerWidth < 600 ? 220 : 300, series: lines,
      tzDate: function (seconds) { return uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"); },
      axes: [axis(), Object.assign(axis("µs a call"), { size: 64 })],
      cursor: { drag: { x: true, y: false } },
      hooks: { draw: [marks], setCursor: [function (self) { cursor = self.cursor.idx; tell(cursor); }],
               setScale: [function (self, name) { if (name === "x") said(); }] }
    }, [xs, ours].concat(others.map(values)), holder);
    if (range && range[0] !== null) chart.setScale("x", { min: range[0], max: range[1] });
  }

  // ---- the range of time; the address keeps it
  var first = xs[0], last = xs[xs.length - 1], inputs = {};
  function day(seconds) { return new Date(seconds * 1000).toISOString().slice(0, 10); }
  function said() {
    var low = chart.scales.x.min, high = chart.scales.x.max;
    if (low === null || low === undefined || !inputs.from) return;
    inputs.from.value = day(low);
    inputs.to.value = day(high);
    var address = new URL(location.href), whole = low <= first && high >= last;
    [["from", inputs.from.value], ["to", inputs.to.value]].forEach(function (pair) {
      if (whole) address.searchParams.delete(pair[0]); else address.searchParams.set(pair[0], pair[1]);
    });
    try { history.replaceState(null, "", address); } catch (error) { /* a page from a file may not */ }
  }
  function zoom(low, high) {
    if (isFinite(low) && isFinite(high) && low < high) chart.setScale("x", { min: low, max: high });
  }
  [["7 days", 7], ["30 days", 30], ["90 days", 90], ["all", 0]].forEach(function (one) {
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = one[0];
    button.addEventListener("click", function () {
      zoom(one[1] ? Math.max(first, last - one[1] * DAY) : first, last);
    });
    bar.append(button, " ");
  });
  ["from", "to"].forEach(function (name) {
    var label = document.createElement("label"), input = inputs[name] = document.createElement("input");
    input.type = "date";
    label.append(name + " ", input);
    bar.append(label, " ");
    input.addEventListener("change", function () {
      zoom(Date.parse(inputs.from.value) / 1000, Date.parse(inputs.to.value) / 1000 + DAY);
    });
  });

  holder.addEventListener("keydown", function (event) {
    var step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    var place = cursor === null || cursor === undefined ? (step > 0 ? 0 : xs.length - 1) :
      Math.min(xs.length - 1, Math.max(0, cursor + step));
    chart.setCursor({ left: chart.valToPos(xs[place], "x"), top: ours[place] === null ? 0 : chart.valToPos(ours[place], "y") });
    cursor = place;
    tell(place);
  });

  draw();
  var asked = new URL(location.href).searchParams;
  if (asked.get("from") && asked.get("to"))
    zoom(Date.parse(asked.get("from")) / 1000, Date.parse(asked.get("to")) / 1000 + DAY);
  said();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  var width = innerWidth;
  addEventListener("resize", function () {
    if (innerWidth !== width) { width = innerWidth; chart.setSize({ width: 0, height: 300 }); draw(); }
  });
})();
