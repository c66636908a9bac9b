// Tabs.

/** Sets up a list of tabs for clicks and arrow keys. */
export function tabs(list, changed = () => {}) {
  const all = [...list.querySelectorAll("[role=tab]")];
  const select = (tab) => {
    if (tab.getAttribute("aria-selected") === "true") return;
    for (const other of all) {
      const isIt = other === tab;
      other.setAttribute("aria-selected", String(isIt));
      other.tabIndex = isIt ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !isIt;
    }
    changed(tab.dataset.tab);
  };
  list.addEventListener("click", ({ target }) => {
    const tab = target.closest("[role=tab]");
    if (tab) select(tab);
  });
  list.addEventListener("keydown", (event) => {
    const shown = all.filter((tab) => !tab.hidden);
    const at = shown.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || at === -1) return;
    event.preventDefault();
    const tab = shown[(to + shown.length) % shown.length];
    tab.focus();
    select(tab);
  });
  return {
    select: (name) => select(all.find((tab) => tab.dataset.tab === name)),
    selected: () => all.find((tab) => tab.getAttribute("aria-selected") === "true").dataset.tab,
  };
}
