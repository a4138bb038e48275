// Lanes of modules above the ops of a timeline: a bar for each run of ops in a row that come from one module.
const MOST_LANES = 4, LANE = 20;

// By depth, outermost first; a module that has all ops says nothing and is left out.
function moduleLanes(program) {
  return (program.lanes ??= findLanes(program));
}

function findLanes(program) {
  const lanes = [], visit = (groups, depth) => {
    for (const group of groups) {
      for (const index of group.ops) (lanes[depth] ??= [])[index] = group;
      visit(group.inner, depth + 1);
    }
  };
  visit(decodeGroup(program.groups.module).inner, 0);
  return lanes.map((groups) => runs(program.ops, groups)).filter((lane) => lane.some((bar) => bar.last - bar.first + 1 < program.ops.length)).slice(0, MOST_LANES);
}

function runs(ops, groups) {
  const bars = [];
  ops.forEach((op, index) => {
    const group = groups[index], before = bars.at(-1);
    if (group && before?.group === group && before.last === index - 1) Object.assign(before, {last: index, end: op.start + op.elapsed});
    else if (group) bars.push({group, first: index, last: index, start: op.start, end: op.start + op.elapsed});
  });
  return bars;
}

function drawModules(u, ctx, bars, top, height) {
  const {min, max} = u.scales.x, gap = devicePixelRatio;
  bars.forEach((bar, number) => {
    if (bar.end < min || bar.start > max) return;
    const from = Math.max(u.valToPos(bar.start, "x", true), u.bbox.left), to = Math.min(u.valToPos(bar.end, "x", true), u.bbox.left + u.bbox.width);
    const width = Math.max(to - from - gap, 0.5);
    ctx.fillStyle = palette.get(state.group?.path === bar.group.path ? "chosen" : number % 2 ? "module-odd" : "module");
    ctx.fillRect(from, top, width, height - gap);
    ctx.fillStyle = palette.get("text");
    fitLabel(ctx, bar.group.name, from, width, top + (height - gap) / 2);
  });
}

// The text as far as it fits, nothing where not even its start does.
function fitLabel(ctx, text, from, width, y, draw = (part, x) => ctx.fillText(part, x, y)) {
  const room = width - 6 * devicePixelRatio, least = 7 * devicePixelRatio;
  if (room < least) return;
  const wide = ctx.measureText(text).width;
  const letters = wide <= room ? text.length : Math.floor((text.length * room) / wide) - 1;
  if (letters < Math.min(3, text.length)) return;
  draw(letters < text.length ? `${text.slice(0, letters)}…` : text, from + 3 * devicePixelRatio);
}

function moduleLines({group, first, last}) {
  const ops = last - first + 1, {total} = shown();
  const here = [`${duration(group.ns)}, ${percent(group.ns / (total || 1))} % of the time, ${whole.format(group.ops.size)} ops`];
  if (ops < group.ops.size) here.push(`${whole.format(ops)} of its ops are in this bar`);
  return [...here, "A click shows these ops alone."];
}
