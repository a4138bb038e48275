// The cores of the chip while the selected op runs: where it runs, and how full the L1 of each is.
function drawCores() {
  const draw = () => {
    const node = find("cores"), op = selectedOp();
    if (!op) return node.replaceChildren();
    const {device, buffers} = shown(), [rows, cols] = device.grid, capacity = device.l1[1] - device.l1[0];
    const live = buffers.filter((buffer) => buffer.inL1 && buffer.first <= op.index && op.index <= buffer.last);
    const cells = [];
    for (let row = 0; row < rows; row++) for (let col = 0; col < cols; col++) cells.push(coreCell(op, live, row, col, capacity));
    const grid = element("div", {class: "cores", style: `grid-template-columns:repeat(${cols},1fr)`, role: "img",
      "aria-label": `${op.name} runs on ${op.cores} of ${rows * cols} cores`}, cells);
    const legend = element("p", {class: "dim"}, `A frame: ${op.name} runs here. The darker, the fuller L1; at most ${size(op.l1)} of ${size(capacity)}.`);
    node.replaceChildren(element("h3", {}, `Cores: ${op.cores} of ${rows * cols}`), grid, legend);
  };
  ["select", "program", "theme"].forEach((event) => on(event, draw));
}

const within = (row, col, rows, cols) => row < rows && col < cols;

function coreCell(op, live, row, col, capacity) {
  const here = live.filter(({tensor}) => !tensor.rows || within(row, col, tensor.rows, tensor.cols));
  const runs = within(row, col, op.rows, op.cols) && row * op.cols + col < op.cores;
  const bytes = here.reduce((sum, buffer) => sum + buffer.bytes, runs ? op.circular : 0);
  const lines = [...here].sort((a, b) => b.bytes - a.bytes).slice(0, 6).map((b) => `${size(b.bytes)} ${b.tensor.name} ${b.tensor.type}`);
  if (runs && op.circular) lines.unshift(`${size(op.circular)} circular buffers`);
  const fullness = Math.round(100 * Math.min(bytes / capacity, 1));
  return element("div", {
    class: runs ? "core runs" : "core", style: `--full:${fullness}%`,
    mousemove: (event) => tooltip.show(event, `core ${row}, ${col}: ${size(bytes)}, ${fullness} %`, lines),
    mouseleave: () => tooltip.hide(),
  });
}
