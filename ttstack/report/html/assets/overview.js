// What the panel says while no op is selected: the longest ops or the largest changes, and what more of a resource saves.
const LISTED = 10, LEAST_CHANGE = 50; // nanoseconds

function overview() {
  const {ops, total} = shown(), sums = {};
  for (const op of ops) for (const name in op.saved) sums[name] = (sums[name] ?? 0) + op.saved[name] * op.elapsed;
  const saved = Object.entries(sums).map(([name, ns]) => [name, ns / (total || 1)]).sort((a, b) => b[1] - a[1]);
  const most = saved[0]?.[0];
  return [
    ...(raw.pairs ? changes() : longestOps()),
    savedBars("All ops: saved by 10 % more of", saved.filter(([, share]) => share >= 0.0005)),
    ...(most ? advice(most) : []),
    element("p", {class: "dim"}, "Select an op in the timeline, the roofline or the table to see all of its figures."),
  ];
}

function longestOps() {
  const longest = foldedOps(shown()).sort((a, b) => b.elapsed - a.elapsed).slice(0, LISTED);
  return [element("h2", {}, "Longest ops"), element("ol", {class: "longest"}, longest.map((op) => {
    const count = times(op), each = `${whole.format(count)} x ${duration(op.elapsed / count)} = `;
    return listed(op, `${count > 1 ? each : ""}${duration(op.elapsed)}, ${percent(op.share)} %, ${op.bound}`);
  }))];
}

function changes() {
  const rows = foldedPairs().filter((row) => Math.abs(row.change) >= LEAST_CHANGE).sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  if (!rows.length) return [element("h2", {}, "Largest changes"), element("p", {class: "dim"}, "No op changes.")];
  return [element("h2", {}, "Largest changes"), element("ol", {class: "longest"}, rows.slice(0, LISTED).map(({op, gone, before, after, count, change}) => {
    const spell = (ns, none) => (ns === null ? none : duration(ns));
    const each = count > 1 ? `${whole.format(count)} ops together: ` : "";
    return listed(op, `${each}${spell(before, "new")} → ${spell(after, "gone")}, ${change > 0 ? "+" : "−"}${duration(Math.abs(change))}`, gone);
  }))];
}

// Pairs of a comparison, those whose ops are equal on both sides as one.
function foldedPairs() {
  const sets = programs.map(({equal}) => new Map(equal.flatMap(({numbers}, set) => numbers.map((number) => [number, set])))), sums = new Map();
  raw.pairs.forEach(([after, before], row) => {
    const key = [after, before].map((number, side) => (number === null ? "" : sets[side].get(number) ?? `op ${row}`)).join();
    const side = state.program ? before : after, gone = side === null, op = gone ? programs[1 - state.program].ops[state.program ? after : before] : shown().ops[side];
    const sum = sums.get(key) ?? {op, gone, before: null, after: null, count: 0, change: 0};
    const [left, right] = [before === null ? null : programs[1].ops[before].elapsed, after === null ? null : programs[0].ops[after].elapsed];
    if (left !== null) sum.before += left;
    if (right !== null) sum.after += right;
    sum.count += 1;
    sum.change += (right ?? 0) - (left ?? 0);
    sums.set(key, sum);
  });
  return [...sums.values()].map((sum) => (sum.count > 1 ? {...sum, op: {...sum.op, location: equalLocation(sum)}} : sum));
}

// The location that names all modules of the equal ops of which this is one.
function equalLocation({op, gone}) {
  const {equal} = gone ? programs[1 - state.program] : shown();
  return equal.find(({numbers}) => numbers.includes(op.index))?.location ?? op.location;
}

function listed(op, text, gone = false) {
  const act = () => select(op.index, gone ? 1 - state.program : state.program);
  return element("li", {}, element("button", {class: "link", click: act}, op.name), ` at ${whereabouts(op.location)}`, element("div", {class: "dim"}, text));
}

// The module of an op, where it has one, and its line.
function whereabouts(location) {
  const short = shortLocation(location), [name, place] = short.includes(" (") ? short.split(" (") : ["", short];
  const [file, line] = place.replace(/\)$/, "").split(":");
  return [name, line ? `line ${line}` : file].filter(Boolean).join(", ");
}
