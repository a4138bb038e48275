// On paper: black on white, as wide as a page, with all rows of the table.
const PAPER = 1000, MOST_PRINTED = 1500;
const printing = {on: false, theme: undefined};

function printedPage(begins) {
  const root = document.documentElement;
  if (begins === printing.on) return;
  printing.on = begins;
  if (begins) printing.theme = root.dataset.theme;
  document.body.style.width = begins ? `${PAPER}px` : "";
  if (begins) root.dataset.theme = "light";
  else if (printing.theme) root.dataset.theme = printing.theme;
  else delete root.dataset.theme;
  palette.forget();
  tell("theme");
  tell("resize");
}

addEventListener("beforeprint", () => printedPage(true));
addEventListener("afterprint", () => printedPage(false));
