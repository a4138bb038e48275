// A lane of kernels and gaps for each program.
function drawTimeline() {
  redrawn(find("timeline"), (node) => {
    const lanes = programs.length;
    return timePlot(node, {
      height: 54 + 62 * lanes,
      y: {
        scales: {y: {range: [0, lanes]}},
        axis: {
          splits: () => programs.map((_, lane) => lanes - lane - 0.5),
          values: () => (lanes > 1 ? ["after", "before"] : ["ops"]),
          grid: {show: false},
        },
      },
      series: [{scale: "y", paths: () => null, points: {show: false}}],
      data: [[0, wholeTime], [0, 0]],
      draw: (u, ctx) => programs.forEach((program, lane) => drawLane(u, ctx, program, lane, lanes)),
      mark: (u) => programs.forEach((_, lane) => markSelected(u, inProgram(lane), ...laneSpan(u, lane, lanes))),
      under: (x, y) => {
        const {program, time} = laneAt(x, y, lanes);
        const op = program.ops[opAt(program.ops, time)];
        return op ? [`${op.index} ${op.name}${time > op.end ? ", the gap after it" : ""}`, opLines(op)] : null;
      },
      click: (x, y) => {
        const {program, time} = laneAt(x, y, lanes);
        select(opAt(program.ops, time), programs.indexOf(program));
      },
    });
  });
}

function laneAt(x, y, lanes) {
  const u = timePlots.find((plot) => find("timeline").contains(plot.root));
  const lane = Math.max(0, Math.min(lanes - 1, Math.floor((y / u.over.clientHeight) * lanes)));
  return {program: programs[lane], time: u.posToVal(x, "x")};
}

// The selected op, or in the lane of the other program its partner.
function inProgram(program) {
  if (program === state.program) return selectedOp();
  const pair = raw.pairs?.find((numbers) => numbers[state.program] === state.selected);
  return programs[program].ops[pair?.[program]] ?? null;
}

function laneSpan(u, lane, lanes) {
  const top = u.valToPos(lanes - lane, "y", true);
  return [top, u.valToPos(lanes - lane - 1, "y", true) - top];
}

function drawLane(u, ctx, program, lane, lanes) {
  const [above, room] = laneSpan(u, lane, lanes), top = above + 4, height = room - 8, bottom = top + height;
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  for (const op of inView(u, program.ops)) {
    const from = u.valToPos(op.start, "x", true), to = u.valToPos(op.end, "x", true);
    const width = Math.max(to - from, 1), solid = height * Math.min(op.ideal / (op.kernel || 1), 1);
    const faded = program === shown() && filtered() && !passes(op);
    ctx.fillStyle = faded ? palette.get("line") : palette.bound(op.bound);
    ctx.globalAlpha = 0.38;
    ctx.fillRect(from, top, width, height - solid);
    ctx.globalAlpha = 1;
    ctx.fillRect(from, bottom - solid, width, solid);
    if (width > 9 * op.name.length * devicePixelRatio) label(ctx, op.name, from + 5 * devicePixelRatio, top + height / 2);
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
