// The page is drawn; keys, theme and width.
function nextTheme() {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  palette.forget();
  tell("theme");
}

function pressed(event) {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const act = {
    "/": () => find("search").focus(),
    ArrowRight: () => select((state.selected ?? -1) + 1),
    ArrowLeft: () => select((state.selected ?? 1) - 1),
    "+": () => zoom(0.5),
    "-": () => zoom(2),
    "0": () => zoom(0),
    t: nextTheme,
    Escape: clearFilters,
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

[drawShares, drawTimeline, drawRange, drawL1, drawDram, drawRoofline, drawTree, drawTable, drawDetail, drawCores].forEach((draw) => draw());
find("theme").addEventListener("click", nextTheme);
find("programs")?.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) show(Number(button.dataset.program));
});
on("program", () => find("programs")?.querySelectorAll("button").forEach((button) => {
  button.setAttribute("aria-checked", Number(button.dataset.program) === state.program);
}));
document.addEventListener("keydown", pressed);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  palette.forget();
  tell("theme");
});
let width = innerWidth, waiting = 0;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(() => tell("resize"), 120);
});
document.documentElement.dataset.drawn = Math.round(performance.now());
