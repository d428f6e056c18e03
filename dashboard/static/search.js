// The search over everything: an entry must have every word; matches in titles come first.
(function () {
  "use strict";
  var MOST = 200;
  var field = document.getElementById("q"), found = document.getElementById("found");
  var entries = gpuprims.search.map(function (one) {
    return { kind: one[0], title: one[1], href: one[2], head: one[1].toLowerCase(),
             text: (one[0] + " " + one[1] + " " + one[3]).toLowerCase() };
  });

  function show() {
    var words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.textContent = "";
    if (!words.length) return;
    var hits = entries.filter(function (one) {
      return words.every(function (word) { return one.text.indexOf(word) >= 0; });
    });
    function inTitle(one) { return words.every(function (word) { return one.head.indexOf(word) >= 0; }) ? 0 : 1; }
    hits.sort(function (a, b) { return inTitle(a) - inTitle(b); });
    var count = document.createElement("p");
    count.textContent = hits.length + " of " + entries.length + (hits.length > MOST ? ", the first " + MOST : "");
    found.appendChild(count);
    var list = document.createElement("ul");
    list.className = "plain";
    hits.slice(0, MOST).forEach(function (one) {
      var item = document.createElement("li"), tag = document.createElement("span"), link = document.createElement("a");
      tag.className = "tag";
      tag.textContent = one.kind;
      link.href = one.href;
      link.textContent = one.title;
      item.append(tag, " ", link);
      list.appendChild(item);
    });
    found.appendChild(list);
  }

  field.value = new URL(location.href).searchParams.get("q") || "";
  field.addEventListener("input", show);
  show();
  field.focus();
})();
