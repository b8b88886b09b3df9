"use strict";
// What the page does beyond what it shows: filter, keys, copying, dark and light. It reads what stands in
// the page, sets text as text only, and asks for nothing.
(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const root = document.documentElement;
  const filter = find("#filter");
  const shown = find("#shown");
  const keys = find("#keys");
  const said = find("#said");
  const notes = all(".note");
  const sections = all("main > section");
  let silence = 0;

  for (const tool of all(".tools, .copy")) tool.hidden = false;

  const say = (text) => {
    said.textContent = text;
    clearTimeout(silence);
    silence = setTimeout(() => { said.textContent = ""; }, 1600);
  };

  // Dark and light.
  const turn = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (dark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    try { localStorage.setItem("ctxrepo-theme", root.dataset.theme); } catch { /* kept for this visit only */ }
  };
  try {
    const kept = localStorage.getItem("ctxrepo-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch { /* a browser that keeps nothing for files */ }
  find("#theme").addEventListener("click", turn);

  // Copying.
  const copy = async (command) => {
    const text = find("code", command).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(find("code", command));
      document.execCommand("copy");
    }
    say(`Copied: ${text}`);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (button) copy(button.closest(".command"));
  });

  // The filter: words that all stand in a note, its name or its text.
  const texts = new Map();
  const textOf = (note) => {
    if (!texts.has(note)) texts.set(note, `${note.closest(".scope").firstChild.textContent} ${note.textContent}`.toLowerCase());
    return texts.get(note);
  };
  const sift = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const note of notes) {
      const fits = words.every((word) => textOf(note).includes(word));
      if (note.hidden === fits) note.hidden = !fits;
      count += fits;
    }
    for (const scope of all(".scope")) scope.hidden = !find(".note:not([hidden])", scope);
    for (const folder of all(".folder")) {
      let next = folder.nextElementSibling;
      while (next && next.hidden) next = next.nextElementSibling;
      folder.hidden = !next || !next.classList.contains("note");
    }
    shown.textContent = words.length ? `${count} of ${notes.length}` : "";
  };
  let waits = 0;
  filter.addEventListener("input", () => { clearTimeout(waits); waits = setTimeout(sift, 60); });

  // Whatever a link leads to is opened.
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target || !target.matches("details")) return;
    for (let at = target; at; at = at.parentElement) if (at.matches("details")) at.open = true;
    if (target.hidden) { filter.value = ""; sift(); }
    target.scrollIntoView();
    find("summary", target).focus({ preventScroll: true });
  };
  addEventListener("hashchange", open);
  open();

  // Which section one is in.
  const links = new Map(all("nav li a").map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const watch = new IntersectionObserver((found) => {
    for (const each of found) if (each.isIntersecting) seen.add(each.target); else seen.delete(each.target);
    const here = sections.find((section) => seen.has(section)) || sections[0];
    for (const [name, link] of links) {
      if (name === here.id) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-20% 0px -65% 0px" });
  for (const section of sections) watch.observe(section);

  // Keys.
  const grip = (row) => (row.matches("details") ? find("summary", row) : row);
  const rows = () => all(".item-row").filter((row) => !row.closest("[hidden]") && !row.parentElement.closest("details:not([open])"));
  const here = () => document.activeElement && document.activeElement.closest(".item-row");
  const step = (by) => {
    const list = rows();
    let at = list.indexOf(here());
    if (at < 0) {
      const from = document.activeElement;
      const isBelow = (row) => (from && from !== document.body
        ? from.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING
        : row.getBoundingClientRect().top > 0);
      const next = list.findIndex(isBelow);
      if (next < 0) at = list.length; else at = by > 0 ? next - 1 : next;
    }
    const row = list[Math.min(list.length - 1, Math.max(0, at + by))];
    if (!row) return;
    grip(row).focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest", behavior: "instant" });
  };
  const leave = () => {
    const row = here();
    if (row && row.open) { row.open = false; grip(row).focus(); }
    else if (filter.value) { filter.value = ""; sift(); }
    else if (document.activeElement) document.activeElement.blur();
  };
  const ask = () => { if (!keys.open) keys.showModal(); };
  find("#help").addEventListener("click", ask);
  find("#keys button").addEventListener("click", () => keys.close());
  const acts = {
    j: () => step(1),
    k: () => step(-1),
    t: turn,
    c: () => { const row = here(); const command = row && find(".command", row); if (command) copy(command); },
    "/": () => { filter.focus(); filter.select(); },
    "?": ask,
    Escape: leave,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.target === filter) {
      if (event.key === "Escape") { filter.value = ""; sift(); filter.blur(); }
      if (event.key === "Enter" || event.key === "ArrowDown") {
        event.preventDefault();
        sift();
        const first = notes.find((note) => !note.hidden);
        if (first) { grip(first).focus(); first.scrollIntoView({ block: "nearest", behavior: "instant" }); }
      }
      return;
    }
    const section = sections[Number(event.key) - 1];
    if (section) {
      event.preventDefault();
      section.scrollIntoView({ behavior: "instant" });
      find("h2", section).focus({ preventScroll: true });
    } else if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  });

  // Paper has no folds.
  addEventListener("beforeprint", () => { if (notes.length <= 500) for (const each of all("main details")) each.open = true; });
})();
