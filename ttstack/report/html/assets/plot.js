// Plots over time: one axis for all of them, zoomed together, with what is selected marked in each.
const AXIS = 72, RIGHT = 52;
const timePlots = [];

const axisStyle = () => ({
  stroke: palette.get("dim"),
  grid: {stroke: palette.get("line"), width: 1},
  ticks: {stroke: palette.get("line"), width: 1},
  font: "11px system-ui, sans-serif",
});

// Ticks in the unit of the time that is in view.
function timeTicks(u, ticks) {
  const [unit, name] = u.scales.x.max - u.scales.x.min > 2e6 ? [1e6, "ms"] : [1e3, "µs"];
  return ticks.map((ns) => `${+(ns / unit).toFixed(3)} ${name}`);
}

// Steps of an axis of bytes.
const byteSteps = Array.from({length: 40}, (_, power) => 2 ** power);

// A plot in the node that is made anew when the theme, the width or the program changes.
function redrawn(node, make) {
  let plot = null;
  const draw = () => {
    const zoom = plot && plot.onTime ? {min: plot.scales.x.min, max: plot.scales.x.max} : null;
    plot?.destroy();
    timePlots.splice(0, timePlots.length, ...timePlots.filter((other) => other !== plot));
    node.replaceChildren();
    plot = make(node);
    if (plot.onTime) timePlots.push(plot);
    if (zoom) plot.setScale("x", zoom);
  };
  draw();
  ["theme", "program", "resize"].forEach((event) => on(event, draw));
  on("select", () => plot.redraw(false));
  on("filter", () => plot.redraw(false));
}

function timePlot(node, {height, y, axes = [], series, data, draw, under, click, mark = markSelected}) {
  const plot = new uPlot({
    width: node.clientWidth,
    height,
    legend: {show: false},
    padding: [6, axes.length ? 0 : RIGHT, 0, 0],
    cursor: {sync: {key: "time", scales: ["x", null]}, drag: {x: true, y: false}, points: {show: false}, y: false},
    scales: {x: {time: false, range: (_, low, high) => [Math.max(low, 0), Math.min(high, wholeTime)]}, ...y.scales},
    axes: [
      {...axisStyle(), size: 30, values: timeTicks},
      {...axisStyle(), size: AXIS, scale: "y", ...y.axis},
      ...axes,
    ],
    series: [{}, ...series],
    hooks: {draw: [(u) => clipped(u, draw, mark)], setScale: [follow]},
  }, data, node);
  plot.onTime = true;
  listen(plot, under, click);
  return plot;
}

// What a plot draws itself lies within its axes.
function clipped(u, draw, mark = () => {}) {
  const {left, top, width, height} = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  draw(u, u.ctx);
  mark(u);
  u.ctx.restore();
}

function markSelected(u, op = selectedOp(), top = u.bbox.top, height = u.bbox.height) {
  if (!op) return;
  const [from, to] = [op.start, op.end].map((time) => u.valToPos(time, "x", true));
  u.ctx.strokeStyle = palette.get("text");
  u.ctx.lineWidth = devicePixelRatio * 1.5;
  u.ctx.strokeRect(from, top + 1, Math.max(to - from, 2), height - 2);
}

function follow(u, scale) {
  if (scale !== "x") return;
  const {min, max} = u.scales.x;
  if (u === timePlots[0]) tell("zoom");
  for (const other of timePlots) {
    if (other !== u && (other.scales.x.min !== min || other.scales.x.max !== max)) other.setScale("x", {min, max});
  }
}

function listen(plot, under, click) {
  let pressed = 0;
  const at = (event) => {
    const box = plot.over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  plot.over.addEventListener("mousedown", (event) => (pressed = event.clientX));
  plot.over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - pressed) < 4) click(...at(event));
  });
  plot.over.addEventListener("mousemove", (event) => {
    const found = under(...at(event));
    if (found) tooltip.show(event, ...found);
    else tooltip.hide();
  });
  plot.over.addEventListener("mouseleave", () => tooltip.hide());
}

// From what share to what share of the time is in view changes by a factor, around what is selected.
function zoom(factor) {
  const first = timePlots[0];
  const {min, max} = factor ? first.scales.x : {min: 0, max: wholeTime};
  const op = selectedOp();
  const centre = op && op.start >= min && op.start <= max ? (op.start + op.end) / 2 : (min + max) / 2;
  const span = factor ? (max - min) * factor : wholeTime;
  const from = factor ? Math.max(centre - span / 2, 0) : 0;
  first.setScale("x", {min: from, max: Math.min(from + span, wholeTime)});
}

function reveal(from, to) {
  const margin = (to - from) * 0.05 + 1;
  timePlots[0].setScale("x", {min: Math.max(from - margin, 0), max: Math.min(to + margin, wholeTime)});
}

// Ops that are partly in view.
function* inView(u, ops) {
  const {min, max} = u.scales.x;
  for (let i = opAt(ops, min); i < ops.length && ops[i].start <= max; i++) yield ops[i];
}
