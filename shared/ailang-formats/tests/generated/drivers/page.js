// Uses a page as a reader does, and leaves what happened as an attribute of the root.
(async () => {
  const result = {};
  try {
    const input = document.getElementById("search");
    const list = document.getElementById("found");
    const focused = () => document.activeElement;
    const press = key => focused().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const type = text => {
      input.value = "";
      for (const char of text) {
        input.value += char;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }
    };
    const found = () => [...list.querySelectorAll("a")].map(it => it.firstChild.textContent);

    press("/");
    result.slash = focused() === input;
    result.found = {};
    for (const word of ["sendmail", "receipt", "maillimit", "sendm", "taken back", "nothing-has-this"]) {
      type(word);
      result.found[word] = [list.hidden, document.getElementById("count").textContent, found()[0] ?? ""];
    }
    type("m");
    press("ArrowDown");
    const first = focused();
    press("ArrowDown");
    const second = focused();
    press("ArrowUp");
    result.arrows = [first !== input, second !== first, focused() === first];
    press("ArrowUp");
    result.back = focused() === input;
    press("Escape");
    result.escape = list.hidden && input.value === "";
    type("sendmail");
    press("Enter");
    await new Promise(resolve => setTimeout(resolve, 100));
    result.entered = [location.hash, document.querySelector(":target")?.id, list.hidden];

    const links = [...document.querySelectorAll("a")];
    result.schemes = [...new Set(links.map(it => it.protocol))].sort();
    result.dangling = links.map(it => it.getAttribute("href")).filter(it => it.length > 1 && it.startsWith("#") && !document.getElementById(decodeURIComponent(it.slice(1))));
    result.code = Object.fromEntries([...document.querySelectorAll("pre a")].map(it => [it.textContent, it.getAttribute("href")]));
    const ids = [...document.querySelectorAll("[id]")].map(it => it.id);
    result.repeated = ids.filter((it, at) => ids.indexOf(it) !== at);
    result.requests = performance.getEntriesByType("resource").map(it => it.name);
    result.hacked = document.documentElement.dataset.hacked ?? null;
    result.elements = [...document.querySelectorAll("img, iframe, object, embed, video, audio, form, link")].map(it => it.outerHTML);
    if (window.axe) {
      const { violations } = await axe.run();
      result.violations = violations.map(it => `${it.impact} ${it.id}: ${it.nodes.length} times, first ${it.nodes[0].html.slice(0, 120)}`);
    }
  } catch (error) {
    result.error = String(error.stack);
  }
  document.documentElement.dataset.result = encodeURIComponent(JSON.stringify(result));
})();
