// Shares of the time by what bounds it and by class; a click keeps those alone in the table. Colours are of bounds
// alone: classes have their names in the bar.
function drawShares() {
  const node = find("shares");
  const draw = () => {
    node.replaceChildren(
      shareBar("bound", (op) => op.bound, state.bounds, (name) => palette.bound(name)),
      shareBar("class", (op) => op.class, state.classes, () => null),
    );
  };
  draw();
  ["theme", "program", "filter"].forEach((event) => on(event, draw));
}

function shareBar(title, key, chosen, colour) {
  const sums = new Map();
  for (const op of shown().ops) {
    const sum = sums.get(key(op)) ?? {ns: 0, count: 0};
    sums.set(key(op), {ns: sum.ns + op.elapsed, count: sum.count + 1});
  }
  const parts = [...sums].sort((a, b) => b[1].ns - a[1].ns).map(([name, sum], index) => ({name, ...sum, colour: colour(name, index)}));
  const total = shown().total || 1;
  const bar = element("div", {class: "stack", "aria-hidden": "true"}, parts.map((part) => {
    const style = `width:${(100 * part.ns) / total}%${part.colour ? `;background:${part.colour}` : ""}`;
    return element("div", {style, class: part.colour ? null : "plain-part", title: `${part.name}: ${percent(part.ns / total)} %`}, part.colour || part.ns < total * 0.06 ? "" : part.name);
  }));
  const legend = parts.map((part) => element(
    "button",
    {class: "key", "aria-pressed": chosen.has(part.name), click: () => toggle(chosen, part.name), title: `${part.count} ops; a click shows these alone`},
    part.colour ? element("i", {style: `background:${part.colour}`}) : null, part.name, element("span", {class: "dim"}, `${percent(part.ns / total)} %`),
  ));
  return element("div", {class: "share"}, element("h3", {}, `by ${title}`), bar, element("div", {class: "keys"}, legend));
}
