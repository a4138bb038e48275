// For each program its modules, nested from the top, and below them its kernels and gaps.
const OPS_LANE = 62;

// Programs from the top, with pixels from the upper edge to the lanes of each.
function timelineBands() {
  let top = 0;
  return programs.map((program) => {
    const lanes = moduleLanes(program), opsTop = top + lanes.length * LANE;
    const band = {program, lanes, top, opsTop, bottom: opsTop + OPS_LANE};
    top = band.bottom;
    return band;
  });
}

function drawTimeline() {
  redrawn(find("timeline"), (node) => {
    const bands = timelineBands(), room = bands.at(-1).bottom;
    const names = bands.flatMap(({program, lanes, top, opsTop}, number) => [
      ...lanes.map((_, depth) => [room - top - (depth + 0.5) * LANE, depth ? "" : "modules"]),
      [room - opsTop - OPS_LANE / 2, programs.length > 1 ? ["after", "before"][number] : "ops"],
    ]).reverse();
    return timePlot(node, {
      height: 36 + room,
      y: {
        scales: {y: {range: [0, room]}},
        axis: {splits: () => names.map(([at]) => at), values: () => names.map(([, name]) => name), grid: {show: false}, ticks: {show: false}},
      },
      series: [{scale: "y", paths: () => null, points: {show: false}}],
      data: [[0, wholeTime], [0, 0]],
      draw: (u, ctx) => bands.forEach((band) => drawBand(u, ctx, band)),
      mark: (u) => bands.forEach((band, number) => markSelected(u, inProgram(number), u.bbox.top + band.opsTop * devicePixelRatio, OPS_LANE * devicePixelRatio)),
      under: (x, y) => {
        const {program, time, bar} = timelineAt(bands, x, y), op = program.ops[opAt(program.ops, time)];
        if (bar) return [bar.group.path, moduleLines(bar)];
        return op ? [`${op.index} ${op.name}${time > op.end ? ", the gap after it" : ""}`, opLines(op)] : null;
      },
      click: (x, y) => {
        const {program, time, bar} = timelineAt(bands, x, y), number = programs.indexOf(program);
        if (!bar) return select(opAt(program.ops, time), number);
        if (number !== state.program) show(number);
        if (state.by !== "module") groupBy("module");
        chooseGroup(bar.group);
      },
    });
  });
}

// The program and the time at a place, and the module's bar where one is there.
function timelineAt(bands, x, y) {
  const u = timePlots.find((plot) => find("timeline").contains(plot.root)), time = u.posToVal(x, "x");
  const {program, lanes, top} = bands.find((band) => y < band.bottom) ?? bands.at(-1);
  const bar = lanes[Math.floor((y - top) / LANE)]?.find(({start, end}) => start <= time && time < end);
  return {program, time, bar};
}

// The selected op, or in the lane of the other program its partner.
function inProgram(program) {
  if (program === state.program || state.selected === null) return program === state.program ? selectedOp() : null;
  const pair = raw.pairs?.find((numbers) => numbers[state.program] === state.selected);
  return programs[program].ops[pair?.[program]] ?? null;
}

function drawBand(u, ctx, {program, lanes, top, opsTop}) {
  const pixels = (height) => u.bbox.top + height * devicePixelRatio;
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  lanes.forEach((bars, depth) => drawModules(u, ctx, bars, pixels(top + depth * LANE), LANE * devicePixelRatio));
  drawOps(u, ctx, program, pixels(opsTop + 4), (OPS_LANE - 8) * devicePixelRatio);
}

function drawOps(u, ctx, program, top, height) {
  const bottom = top + height, {left, width: room} = u.bbox;
  for (const op of inView(u, program.ops)) {
    const from = u.valToPos(op.start, "x", true), to = u.valToPos(op.end, "x", true);
    const width = Math.max(to - from, 1), solid = height * Math.min(op.ideal / (op.kernel || 1), 1);
    const faded = program === shown() && filtered() && !passes(op);
    ctx.fillStyle = faded ? palette.get("line") : palette.bound(op.bound);
    ctx.globalAlpha = 0.38;
    ctx.fillRect(from, top, width, height - solid);
    ctx.globalAlpha = 1;
    ctx.fillRect(from, bottom - solid, width, solid);
    const start = Math.max(from, left), seen = Math.min(to, left + room) - start;
    if (seen > 24 * devicePixelRatio) fitLabel(ctx, op.name, start, seen, top + height / 2, (part, x) => label(ctx, part, x, top + height / 2));
  }
}

function label(ctx, text, x, y) {
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.strokeStyle = palette.get("surface");
  ctx.fillStyle = palette.get("text");
  ctx.lineJoin = "round";
  ctx.textAlign = "left";
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}
