// Compares two moments of two devices, cell by cell; the address keeps the choice.
(function () {
  "use strict";
  var MOST = 500, SEEN = 0.02;
  var data = gpuprims.compare, form = document.getElementById("compare"), place = document.getElementById("compared");
  if (!data.devices.some(function (device) { return device.moments.length; })) return;
  form.hidden = false;
  var fields = form.elements;

  function option(select, value, text) {
    var one = document.createElement("option");
    one.value = value;
    one.textContent = text;
    select.appendChild(one);
  }

  function device(side) { return data.devices[fields["device" + side].value]; }

  function fillMoments(side, wanted) {
    var select = fields["moment" + side], moments = device(side).moments;
    select.textContent = "";
    moments.forEach(function (moment, number) {
      option(select, number, moment[0] + (moment[1] ? "  " + moment[1].slice(0, 7) : ""));
    });
    var chosen = moments.findIndex(function (moment) { return moment.join(" ") === wanted; });
    select.value = chosen >= 0 ? chosen : device(side).first[side - 1];
  }

  // The time of a cell at a moment: pairs of moment and time, in order.
  function timeOf(cell, moment, carry) {
    var time = null;
    for (var i = 0; i < cell.us.length && cell.us[i] <= moment; i += 2)
      if (carry || cell.us[i] === moment) time = cell.us[i + 1];
    return time;
  }

  function mean(rows) {
    return Math.exp(rows.reduce(function (sum, row) { return sum + Math.log(row.ratio); }, 0) / rows.length);
  }

  function table(caption, heads, rows) {
    var made = document.createElement("table"), body = made.createTBody(), scroll = document.createElement("div");
    made.createCaption().textContent = caption;
    made.caption.className = "hidden";
    var line = made.createTHead().insertRow();
    heads.forEach(function (text, column) {
      var head = document.createElement("th");
      head.scope = "col";
      head.textContent = text;
      if (column) head.className = "n";
      line.appendChild(head);
    });
    rows.forEach(function (row) {
      var line = body.insertRow();
      row.forEach(function (entry, column) {
        var cell = line.insertCell();
        if (column) cell.className = "n";
        cell.append(entry);
      });
    });
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", caption);
    scroll.appendChild(made);
    return scroll;
  }

  function times(ratio) { return ratio.toFixed(3) + "×"; }

  function compare() {
    var one = device(1), other = device(2), moments = [+fields.moment1.value, +fields.moment2.value];
    var carry = fields.carry.checked, words = fields.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    var before = {}, rows = [];
    one.cells.forEach(function (cell) { before[cell.id] = timeOf(cell, moments[0], carry); });
    other.cells.forEach(function (cell) {
      var now = timeOf(cell, moments[1], carry), was = before[cell.id];
      if (!now || !was) return;
      var text = (cell.text + " " + cell.family).toLowerCase();
      if (words.every(function (word) { return text.indexOf(word) >= 0; }))
        rows.push({ cell: cell, was: was, now: now, ratio: was / now });
    });
    rows.sort(function (a, b) { return Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)); });
    show(one, other, rows);
    var address = new URL(location.href);
    [["from", one, moments[0]], ["to", other, moments[1]]].forEach(function (side) {
      address.searchParams.set(side[0], side[1].folder + " " + (side[1].moments[side[2]] || []).join(" "));
    });
    address.searchParams.set("carry", carry ? "1" : "");
    address.searchParams.set("words", fields.words.value);
    try { history.replaceState(null, "", address); } catch (error) { /* a page from a file may not */ }
  }

  function show(one, other, rows) {
    place.textContent = "";
    var said = document.createElement("p");
    place.appendChild(said);
    if (!rows.length) {
      said.textContent = "NO DATA: no cell was measured at both.";
      return;
    }
    function count(fits) { return rows.filter(fits).length; }
    said.textContent = rows.length + " cells; " + times(mean(rows)) + " the speed (geometric mean); " +
      count(function (row) { return row.ratio > 1 + SEEN; }) + " faster and " +
      count(function (row) { return row.ratio < 1 - SEEN; }) + " slower by more than 2 %. ";
    said.append(saved(rows, "CSV", "text/csv", csv), " ", saved(rows, "JSON", "application/json", json));
    var families = data.families.concat().filter(function (family) {
      return rows.some(function (row) { return row.cell.family === family; });
    });
    place.append(table("Families", ["family", "cells", "speed"], families.map(function (family) {
      var own = rows.filter(function (row) { return row.cell.family === family; });
      return [family, String(own.length), times(mean(own))];
    })), table("Cells", ["cell", "from, µs", "to, µs", "speed"], rows.slice(0, MOST).map(function (row) {
      var link = document.createElement("a");
      link.href = other.folder + "/" + row.cell.id + ".html";
      link.textContent = row.cell.text;
      return [link, String(row.was), String(row.now), times(row.ratio)];
    })));
    if (rows.length > MOST) {
      var left = document.createElement("p");
      left.className = "quiet";
      left.textContent = rows.length - MOST + " more, which differ less, are in the files.";
      place.appendChild(left);
    }
  }

  function csv(rows) {
    return "cell,family,from us,to us,speed\n" + rows.map(function (row) {
      return ['"' + row.cell.text.replace(/"/g, '""') + '"', row.cell.family, row.was, row.now, row.ratio].join(",");
    }).join("\n") + "\n";
  }

  function json(rows) {
    return JSON.stringify({ title: "compare", columns: ["cell", "family", "from us", "to us", "speed"],
                            rows: rows.map(function (row) {
                              return [row.cell.text, row.cell.family, row.was, row.now, row.ratio];
                            }) });
  }

  function saved(rows, title, type, form) {
    var link = document.createElement("a");
    link.textContent = title;
    link.download = "compare." + title.toLowerCase();
    link.href = URL.createObjectURL(new Blob([form(rows)], { type: type }));
    return link;
  }

  var asked = new URL(location.href).searchParams;
  ["from", "to"].forEach(function (name, number) {
    var select = fields["device" + (number + 1)], words = (asked.get(name) || "").split(" ");
    data.devices.forEach(function (one, place) { option(select, place, one.title); });
    var place = data.devices.findIndex(function (one) { return one.folder === words[0]; });
    var last = data.devices.findIndex(function (one) { return one.moments.length; });
    select.value = place >= 0 ? place : last;
    fillMoments(number + 1, words.slice(1).join(" "));
    select.addEventListener("change", function () { fillMoments(number + 1, ""); compare(); });
    fields["moment" + (number + 1)].addEventListener("change", compare);
  });
  fields.carry.checked = asked.get("carry") === "1";
  fields.words.value = asked.get("words") || "";
  fields.carry.addEventListener("change", compare);
  fields.words.addEventListener("input", compare);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  compare();
})();
