"use strict";
(() => {
  const entries = JSON.parse(document.getElementById("entries").textContent);
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  const count = document.getElementById("count");
  // Names count more than words of the text, and whole names more than parts.
  const rank = (entry, words) => {
    const name = entry.n.toLowerCase(), text = entry.t.toLowerCase();
    let sum = 0;
    for (const word of words) {
      if (name === word) sum += 100;
      else if (name.startsWith(word)) sum += 60;
      else if (name.includes(word)) sum += 30;
      else if (text.includes(word) || entry.k === word) sum += 5;
      else return 0;
    }
    // Of names that are equal, what can be called comes first.
    return sum + (entry.k === "tool" ? 1 : 0);
  };
  const row = entry => {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("small");
    link.href = entry.u;
    link.textContent = entry.n + " (" + entry.k + ")";
    text.textContent = entry.t;
    link.append(text);
    item.append(link);
    return item;
  };
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : entries.map(entry => [rank(entry, words), entry])
      .filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]).slice(0, 30);
    list.replaceChildren(...found.map(([, entry]) => row(entry)));
    list.hidden = found.length === 0;
    count.textContent = words.length === 0 ? "" : found.length === 0 ? "Nothing found" : found.length + " found";
  };
  const close = () => { input.value = ""; show(); };
  const isInSearch = () => document.activeElement === input || list.contains(document.activeElement);
  const move = step => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement) + step;
    (at < 0 ? input : links[Math.min(at, links.length - 1)])?.focus();
  };
  input.addEventListener("input", show);
  list.addEventListener("click", close);
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !isInSearch()) { event.preventDefault(); input.focus(); }
    if (event.key === "Escape" && isInSearch()) { close(); input.focus(); }
    if (event.key === "ArrowDown" && isInSearch()) { event.preventDefault(); move(1); }
    if (event.key === "ArrowUp" && isInSearch()) { event.preventDefault(); move(-1); }
    if (event.key === "Enter" && document.activeElement === input) { list.querySelector("a")?.click(); }
  });
})();
