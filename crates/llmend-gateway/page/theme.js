// Theme switch: system, light or dark.

const STORE = "llmend.theme";
const ORDER = ["auto", "light", "dark"];

export function themeSwitch(button) {
  let theme = ORDER.includes(localStorage.getItem(STORE)) ? localStorage.getItem(STORE) : "auto";
  const apply = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme];
    button.setAttribute("aria-label", `Theme: ${theme}. Change theme`);
    button.title = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
    localStorage.setItem(STORE, theme);
    apply();
  });
  apply();
}
