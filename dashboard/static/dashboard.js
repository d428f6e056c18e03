// Scripts add filters, sorting, copying and reasons. The pages are complete without them.
(function () {
  "use strict";
  document.documentElement.classList.add("script");

  // ---- filters: a row must have every word; sections without a row are hidden
  function filter(input) {
    var root = document.getElementById(input.dataset.filter);
    var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    var rows = root.querySelectorAll(root.tagName === "TABLE" ? "tbody > tr" : "[data-group] tr[data-text]");
    var shown = 0;
    rows.forEach(function (row) {
      var text = ((row.dataset.text || "") + " " + row.textContent).toLowerCase();
      row.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
      if (!row.hidden) shown += 1;
    });
    root.querySelectorAll("[data-group]").forEach(function (group) {
      group.hidden = words.length > 0 && !group.querySelector("tr[data-text]:not([hidden])");
    });
    var output = input.parentNode.querySelector("output");
    output.textContent = words.length ? shown + " of " + rows.length : "";
  }

  document.querySelectorAll("input[data-filter]").forEach(function (input) {
    input.addEventListener("input", function () {
      filter(input);
      var place = new URL(location.href);
      if (input.value) place.searchParams.set("q", input.value); else place.searchParams.delete("q");
      try { history.replaceState(null, "", place); } catch (error) { /* a page from a file may not */ }
    });
    var asked = new URL(location.href).searchParams.get("q");
    if (asked) { input.value = asked; filter(input); }
  });

  // ---- sorting, by numbers where a column has them
  function value(row, column) {
    var cell = row.cells[column];
    if (!cell) return "";
    var text = cell.textContent.trim();
    var match = text.replace(/,/g, "").replace(/^[▾✗ ]+/, "").match(/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?\s*([KMG])?/i);
    if (!cell.classList.contains("n") && !(match && match[0].length === text.length)) return text.toLowerCase();
    if (!match) return -Infinity;
    return parseFloat(match[0]) * Math.pow(1024, "KMG".indexOf((match[3] || "").toUpperCase()) + 1 || 0);
  }

  document.querySelectorAll("table[data-sortable]").forEach(function (table) {
    var heads = table.tHead.rows[0].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      if (!head.textContent.trim()) return;
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") !== "descending";
        Array.prototype.forEach.call(heads, function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        var rows = Array.prototype.slice.call(table.tBodies[0].rows).map(function (row) {
          return [value(row, column), row];
        });
        rows.sort(function (one, other) {
          var a = one[0], b = other[0];
          var order = typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
          return down ? -order : order;
        });
        rows.forEach(function (pair) { table.tBodies[0].appendChild(pair[1]); });
      });
    });
  });

  // ---- a link into a folded part unfolds it
  function open() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", open);
  if (location.hash) open();

  // ---- the reason to accept a slowdown, in the pull request's address and in the command
  document.querySelectorAll("input[data-reason]").forEach(function (input) {
    var box = input.closest("details"), link = box.querySelector("a.accept"), text = box.querySelector("pre");
    var word = input.dataset.reason, href = link.href, command = text.textContent;
    function coded(reason) { return encodeURIComponent(JSON.stringify(reason).slice(1, -1)); }
    input.addEventListener("input", function () {
      var reason = input.value.trim();
      link.href = reason ? href.split(word).join(coded(reason)) : href;
      text.textContent = reason ? command.split("'" + word + "'").join("'" + reason.replace(/'/g, "'\\''") + "'") : command;
    });
  });

  document.querySelectorAll("details.reproduce pre").forEach(function (pre) {
    if (!navigator.clipboard) return;
    var button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(pre.textContent).then(function () { button.textContent = "copied"; });
    });
    pre.parentNode.insertBefore(button, pre);
  });
})();
