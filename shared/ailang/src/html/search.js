"use strict";
(() => {
  const entries = JSON.parse(document.getElementById("entries").textContent);
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  const rank = (entry, words) => {
    const name = entry.n.toLowerCase(), text = entry.t.toLowerCase();
    let sum = 0;
    for (const word of words) {
      if (name === word) sum += 100;
      else if (name.startsWith(word)) sum += 60;
      else if (name.includes(word)) sum += 30;
      else if (text.includes(word)) sum += 5;
      else return 0;
    }
    return sum;
  };
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : entries.map(entry => [rank(entry, words), entry])
      .filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]).slice(0, 30);
    list.replaceChildren(...found.map(([, entry]) => {
      const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("small");
      link.href = entry.u;
      link.textContent = entry.n + " (" + entry.k + ")";
      text.textContent = entry.t;
      link.append(text);
      item.append(link);
      return item;
    }));
    list.hidden = found.length === 0;
  };
  input.addEventListener("input", show);
  list.addEventListener("click", () => { list.hidden = true; });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
    if (event.key === "Escape") { input.value = ""; show(); }
    if (event.key === "Enter" && document.activeElement === input) { list.querySelector("a")?.click(); }
  });
})();
