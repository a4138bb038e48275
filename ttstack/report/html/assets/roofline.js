// Work for a byte of DRAM against how fast it is done; both axes logarithmic, the area of a point is the op's time.
function drawRoofline() {
  redrawn(find("roofline"), (node) => {
    const {ops, device} = shown();
    const working = ops.filter((op) => op.flops && op.kernel);
    const points = working.map((op) => ({op, x: op.flops / Math.max(op.dram, 1), y: (op.flops / op.kernel) * 1e9}));
    const reading = points.filter((point) => point.op.dram), peaks = Object.entries(device.peaks);
    const highest = Math.max(...peaks.map(([, peak]) => peak), 1e9), ridge = highest / device.dramPeak;
    const right = 10 ** Math.ceil(Math.log10(Math.max(ridge * 20, ...reading.map((p) => p.x * 3))));
    const left = 10 ** Math.floor(Math.log10(Math.min(0.1, ...reading.map((p) => p.x))));
    const bottom = 10 ** Math.floor(Math.log10(Math.min(highest / 1e4, ...points.map((p) => p.y))));
    points.forEach((point) => (point.x = point.op.dram ? point.x : right / 1.6));
    const plot = new uPlot({
      width: node.clientWidth,
      height: 330,
      legend: {show: false},
      cursor: {drag: {x: false, y: false}, points: {show: false}},
      scales: {x: {time: false, distr: 3, range: [left, right]}, y: {distr: 3, range: [bottom, highest * (peaks.length > 1 ? 30 : 5)]}},
      axes: [
        {...decadeAxis(), label: "FLOP per byte of DRAM", labelSize: 20, labelFont: "11px system-ui"},
        {...decadeAxis(), size: AXIS, values: (_, ticks) => ticks.map((t) => t && flopRate(t))},
      ],
      series: [{}, {paths: () => null, points: {show: false}}],
      data: [],
      hooks: {draw: [(u) => clipped(u, (_, ctx) => drawPoints(u, ctx, points, device, ops))]},
    }, [[left, right], [bottom, highest]], node);
    const near = (x, y) => nearest(plot, points, x, y);
    const found = (x, y) => {
      const [op, ...others] = near(x, y);
      const rate = op && `${rateText((op.flops / op.kernel) * 1e9)}, ${percent(op.flopShare)} % of the peak at ${op.fidelity}`;
      const lines = op && [rate, op.dram ? `${size(op.dram)} of DRAM` : "no DRAM", ...opLines(op), ...othersHere(others)];
      return op && [`${op.index} ${op.name}`, lines];
    };
    listen(plot, found, (x, y) => near(x, y).length && select(near(x, y)[0].index));
    node.append(element("p", {class: "dim"}, notShown(ops, points.length - reading.length)));
    return plot;
  });
}

// Ops at the same place as the one that is described, equal ones in one line.
function othersHere(ops, most = 6) {
  const counts = new Map();
  for (const op of ops) counts.set(op.name, (counts.get(op.name) ?? 0) + 1);
  const lines = [...counts].map(([name, count]) => (count > 1 ? `${count} x ${name}` : name));
  const more = lines.length > most ? [`${lines.length - most} more`] : [];
  return lines.length ? [`also here: ${[...lines.slice(0, most), ...more].join(", ")}`] : [];
}

// How many ops have no point or one at the edge, and why.
function notShown(ops, edge) {
  const idle = ops.filter((op) => !op.flops || !op.kernel), counts = new Map();
  for (const {name} of idle) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3).map(([name]) => name).join(", ");
  const ns = idle.reduce((sum, op) => sum + op.elapsed, 0), share = percent(ns / (shown().total || 1));
  const here = edge ? `${whole.format(edge)} ops use only L1 and are drawn at the right edge. ` : "";
  return idle.length ? `${here}${whole.format(idle.length)} of ${whole.format(ops.length)} ops (${share} % of the time) have no FLOPs and are not shown: they move data or look it up, such as ${names}.` : here;
}

function rateText(rate) {
  const [unit, name] = rate >= 1e12 ? [1e12, "T"] : rate >= 1e9 ? [1e9, "G"] : [1e6, "M"];
  return `${+(rate / unit).toPrecision(3)} ${name}FLOP/s`;
}

const flopRate = (rate) => (rate >= 1e12 ? `${rate / 1e12} TF/s` : rate >= 1e9 ? `${rate / 1e9} GF/s` : `${rate / 1e6} MF/s`);

// Whole powers of ten alone have lines and labels.
const decades = (_, ticks) => ticks.map((t) => (t && Math.abs(Math.log10(t) - Math.round(Math.log10(t))) < 1e-6 ? t : null));

function decadeAxis() {
  const style = axisStyle();
  const text = (_, ticks) => ticks.map((t) => t && String(+t.toPrecision(1)));
  return {...style, filter: decades, grid: {...style.grid, filter: decades}, ticks: {...style.ticks, filter: decades}, values: text};
}

function drawPoints(u, ctx, points, device, ops) {
  drawRoofs(u, ctx, device);
  const longest = Math.max(...ops.map((op) => op.elapsed), 1);
  for (const {op, x, y} of points) {
    const radius = (2.5 + 9 * Math.sqrt(op.elapsed / longest)) * devicePixelRatio;
    ctx.globalAlpha = filtered() && !passes(op) ? 0.08 : 0.65;
    ctx.fillStyle = palette.bound(op.bound);
    ctx.beginPath();
    ctx.arc(u.valToPos(x, "x", true), u.valToPos(y, "y", true), radius, 0, 2 * Math.PI);
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.strokeStyle = palette.get(op.index === state.selected ? "text" : "surface");
    ctx.lineWidth = (op.index === state.selected ? 2.5 : 0.7) * devicePixelRatio;
    ctx.stroke();
  }
}

function drawRoofs(u, ctx, device) {
  const right = u.scales.x.max, left = u.scales.x.min;
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  let above = Infinity;
  for (const [fidelity, peak] of Object.entries(device.peaks).sort((a, b) => a[1] - b[1])) {
    const ridge = peak / device.dramPeak;
    ctx.strokeStyle = palette.get("dim");
    ctx.lineWidth = 1.2 * devicePixelRatio;
    ctx.beginPath();
    [[left, left * device.dramPeak], [ridge, peak], [right, peak]].forEach(([x, y]) => ctx.lineTo(u.valToPos(x, "x", true), u.valToPos(y, "y", true)));
    ctx.stroke();
    const text = `${fidelity}: ${(peak / 1e12).toFixed(0)} TFLOP/s from ${ridge.toFixed(0)} FLOP/byte`;  // left of the ridge, above all points
    above = Math.min(u.valToPos(peak, "y", true) - 2, above - 13 * devicePixelRatio);
    label(ctx, text, u.valToPos(ridge, "x", true) - ctx.measureText(text).width, above);
  }
}

// Ops whose points lie near a place, the nearest first.
function nearest(u, points, x, y) {
  const away = (point) => (u.valToPos(point.x, "x") - x) ** 2 + (u.valToPos(point.y, "y") - y) ** 2;
  const near = points.map((point) => [away(point), point.op]).filter(([distance]) => distance < 14 ** 2);
  return near.sort((a, b) => a[0] - b[0] || b[1].elapsed - a[1].elapsed).map(([, op]) => op);
}
