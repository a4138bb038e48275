// What lies in L1 and DRAM over time.
const NEAR = 2; // pixels around the pointer: small buffers take less than one
const THIN = 3; // pixels that a buffer has at least

// A line at the end of a memory, with its size; what lies above it is not there.
function drawCapacity(u, ctx, bytes, text) {
  const y = u.valToPos(bytes, "y", true);
  ctx.strokeStyle = palette.get("text");
  ctx.lineWidth = 1.2 * devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(u.bbox.left, y);
  ctx.lineTo(u.bbox.left + u.bbox.width, y);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  label(ctx, text, u.bbox.left + 6 * devicePixelRatio, y - 2 * devicePixelRatio);
}

function drawL1() {
  redrawn(find("l1"), (node) => {
    const {ops, buffers, device} = shown();
    const [base, end] = device.l1, here = buffers.filter((buffer) => buffer.inL1);
    const time = (u, buffer) => [ops[buffer.first].start, ops[buffer.last].end + ops[buffer.last].gap];
    let plot = null;
    const at = (x, y) => {
      const op = ops[opAt(ops, plot.posToVal(x, "x"))];
      if (!op) return {};
      const [high, low] = [y - NEAR, y + NEAR].map((position) => plot.posToVal(position, "y") + base);
      const live = here.filter((b) => b.first <= op.index && op.index <= b.last);
      return {op, low, live, found: live.filter((b) => b.address <= high && low <= b.address + b.bytes)};
    };
    plot = timePlot(node, {
      height: 250,
      y: {
        scales: {y: {range: [0, (end - base) * 1.1]}},
        axis: {values: (_, ticks) => ticks.map((bytes) => `${Math.round(bytes / 1024)} KiB`), incrs: byteSteps},
      },
      series: [{scale: "y", paths: () => null, points: {show: false}}],
      data: [[0, wholeTime], [0, 0]],
      draw: (u, ctx) => {
        drawCircular(u, ctx, ops);
        for (const buffer of here) drawBuffer(u, ctx, buffer, base, time(u, buffer));
        drawCapacity(u, ctx, end - base, `capacity ${size(end - base)}`);
      },
      under: (x, y) => {
        const {op, low, live, found} = at(x, y);
        if (!op) return null;
        const use = `${op.index} ${op.name}: ${size(op.l1)} of ${size(end - base)} in use`;
        if (found.length) return [use, found.flatMap((buffer) => bufferLines(buffer, ops))];
        if (low - base < op.circular) return ["circular buffers", [`${size(op.circular)} of ${op.index} ${op.name}`, use]];
        return ["free", [`${live.length} tensors lie here`, use]];
      },
      click: (x, y) => {
        const {op} = at(x, y);
        if (op) select(op.index);
      },
    });
    return plot;
  });
}

function drawBuffer(u, ctx, buffer, base, [start, end]) {
  if (end < u.scales.x.min || start > u.scales.x.max) return;
  const left = u.valToPos(start, "x", true), right = u.valToPos(end, "x", true);
  const top = u.valToPos(buffer.address - base + buffer.bytes, "y", true);
  const bottom = Math.max(u.valToPos(buffer.address - base, "y", true), top + THIN * devicePixelRatio);
  const op = selectedOp(), touched = op && [...op.operands, ...op.results].includes(buffer.tensor);
  ctx.fillStyle = palette.get(buffer.kind === "intermediate" ? "amount" : "amount-pale");
  ctx.globalAlpha = touched ? 1 : 0.75;
  ctx.fillRect(left, top, Math.max(right - left, 1), bottom - top);
  ctx.globalAlpha = 1;
  if (right - left < 4 || bottom - top < 6) return;
  ctx.strokeStyle = palette.get("surface");
  ctx.lineWidth = 1;
  ctx.strokeRect(left, top, right - left, bottom - top);
}

function drawCircular(u, ctx, ops) {
  ctx.fillStyle = hatching(ctx);
  ctx.strokeStyle = palette.get("circular");
  ctx.lineWidth = 1;
  const bottom = u.valToPos(0, "y", true);
  for (const op of inView(u, ops)) {
    const left = u.valToPos(op.start, "x", true), width = u.valToPos(op.end, "x", true) - left;
    const top = u.valToPos(op.circular, "y", true);
    ctx.fillRect(left, top, Math.max(width, 1), bottom - top);
    if (width > 6) ctx.strokeRect(left, top, width, bottom - top);
  }
}

function hatching(ctx) {
  const tile = document.createElement("canvas"), pen = tile.getContext("2d"), step = 6 * devicePixelRatio;
  tile.width = tile.height = step;
  pen.strokeStyle = palette.get("circular");
  pen.lineWidth = devicePixelRatio;
  for (const shift of [-step, 0, step]) {
    pen.moveTo(shift, step);
    pen.lineTo(shift + step, 0);
  }
  pen.stroke();
  return ctx.createPattern(tile, "repeat");
}

function bufferLines(buffer, ops) {
  const {tensor, first, last} = buffer;
  const life = `from ${ops[first].index} ${ops[first].name} to ${ops[last].index} ${ops[last].name}`;
  const name = element("b", {}, `${tensor.name} (${buffer.kind})`);
  return [name, tensor.type, tensor.layout, `${size(buffer.bytes)} of each core, ${life}`];
}

function drawDram() {
  redrawn(find("dram"), (node) => {
    const {ops, buffers, device} = shown();
    const channels = device.channels, here = buffers.filter((buffer) => !buffer.inL1);
    const times = ops.flatMap((op) => [op.start, op.end]), used = ops.flatMap((op) => Array(2).fill(op.channel * channels));
    const most = Math.max(...ops.map((op) => op.channel * channels), 1), capacity = (device.dram[1] - device.dram[0]) * channels;
    const near = most > capacity / 4, top = near ? capacity * 1.12 : most * 1.25;  // far above, a line would hide the rest
    const traffic = ops.flatMap((op) => [op.dramShare, 0]);
    const step = uPlot.paths.stepped({align: 1});
    let plot = null;
    const opUnder = (x) => ops[opAt(ops, plot.posToVal(x, "x"))];
    plot = timePlot(node, {
      height: 180,
      y: {
        scales: {y: {range: [0, top]}, "%": {range: [0, 1]}},
        axis: {values: (_, ticks) => ticks.map((bytes) => size(bytes).replace(".0 ", " ")), incrs: byteSteps},
      },
      axes: [{...axisStyle(), side: 1, size: RIGHT, scale: "%", grid: {show: false}, values: (_, ticks) => ticks.map((share) => `${100 * share} %`)}],
      series: [
        {scale: "y", paths: step, stroke: palette.get("amount"), fill: palette.get("amount-fill"), width: 1.5, points: {show: false}},
        {scale: "%", paths: step, stroke: palette.get("traffic"), width: 1, points: {show: false}},
      ],
      data: [[...times, wholeTime], [...used, used.at(-1) ?? 0], [...traffic, 0]],
      draw: (u, ctx) => drawCapacity(u, ctx, near ? capacity : most, near ? `capacity ${size(capacity)}` : `peak ${size(most)}, ${percent(most / capacity)} % of ${size(capacity)}`),
      under: (x) => {
        const op = opUnder(x);
        if (!op) return null;
        const live = here.filter((b) => b.first <= op.index && op.index <= b.last).sort((a, b) => b.bytes - a.bytes);
        const largest = live.slice(0, 5).map((b) => `${size(b.bytes * channels)} ${b.tensor.name}`);
        const more = live.length > 5 ? [`and ${live.length - 5} more`] : [];
        const title = `${op.index} ${op.name}: ${size(op.channel * channels)} in use`;
        return [title, [`${size(op.dram)} moved, ${percent(op.dramShare)} % of the peak`, ...largest, ...more]];
      },
      click: (x) => {
        if (ops.length) select(opUnder(x).index);
      },
    });
    return plot;
  });
}
