// The terms of an op's time as lanes over its kernel, and what would make it faster.
const BEFORE = ["fill", "skew", "halo", "wait"];

// Where each term starts, so that they add up: what nothing hides lies end to end, around the part in which math and
// streams overlap. Reads begin while the math units wait for the first block; the last block is written after them.
function placeTerms(op) {
  const kind = (name) => raw.legend.terms[name]?.[0], terms = Object.entries(op.terms);
  const added = terms.filter(([name]) => kind(name) === "ADDED");
  const overlap = Math.max(op.kernel - added.reduce((sum, [, ns]) => sum + ns, 0), 0);
  const bars = [], wait = op.terms.wait ?? 0;
  let clock = 0;
  const put = ([name, ns]) => {
    bars.push({name, start: clock, ns});
    clock += ns;
  };
  BEFORE.flatMap((name) => added.filter(([term]) => term === name)).forEach(put);
  const begin = clock, end = clock + overlap, ready = begin - wait;
  for (const [name, ns] of terms) {
    if (kind(name) === "MATH") bars.push({name, start: begin, ns});
    else if (kind(name) === "STREAM" && name !== "writer") bars.push({name, start: ready, ns});
  }
  if (op.terms.writer) bars.push({name: "writer", start: Math.max(end + (op.terms.tail ?? 0) - op.terms.writer, ready), ns: op.terms.writer});
  clock = end;
  added.filter(([name]) => !BEFORE.includes(name)).forEach(put);
  return {bars, overlap: [begin, end]};
}

const overlaps = (name) => ["MATH", "STREAM"].includes(raw.legend.terms[name]?.[0]);

function termBars(op) {
  if (!Object.keys(op.terms).length || !op.elapsed) return "";
  const {bars, overlap} = placeTerms(op), scale = (ns) => `${Math.min((100 * ns) / op.elapsed, 100)}%`;
  const row = (name, start, ns, colour, title, thin = false) => element("div", {class: "term", title}, element("span", {}, name),
    element("div", {class: "lane"}, element("div", {class: thin ? "thin" : null, style: `left:${scale(start)};width:${scale(ns)};background:${colour}`})),
    element("span", {class: "number"}, duration(ns)));
  const [begin, end] = overlap;
  return element("div", {class: "terms"}, element("h3", {}, "terms of its time, from the left as they run"),
    bars.map(({name, start, ns}) => row(name, start, ns, "var(--amount)", raw.legend.terms[name]?.[1], overlaps(name))),
    row("kernel", 0, op.kernel, "var(--text)", "all terms above"),
    op.gap ? row("gap", op.kernel, op.gap, "var(--amount)", raw.legend.terms.gap[1]) : "",
    element("p", {class: "dim"}, `Thin bars overlap: math and transfers run together for ${duration(end - begin)}. Thick bars follow one another; together with that part they are the kernel.`));
}

function savedBars(title, saved) {
  if (!saved.length) return "";
  return element("div", {class: "terms"}, element("h3", {}, title), saved.map(([name, share]) =>
    element("div", {class: "term", title: raw.legend.resources[name]?.[1]}, element("span", {}, name),
      element("div", {class: "lane"}, element("div", {style: `width:${(100 * share) / saved[0][1]}%;background:${palette.bound(name)}`})),
      element("span", {class: "number"}, `${percent(share)} %`))));
}

// The remedy of a resource; commands in it are between backticks.
function advice(name) {
  const [full, , remedy] = raw.legend.resources[name] ?? [];
  if (!remedy) return [];
  const parts = remedy.split("`").map((part, number) => (number % 2 ? element("code", {}, part) : part));
  return [element("p", {class: "advice"}, element("b", {}, `To wait less for the ${full}: `), ...parts, ".")];
}
