// The part of the time that is in view: in numbers, and as a frame on a map of all ops.
const MAP = 22;

function drawRange() {
  const text = find("range"), map = find("minimap"), picture = document.createElement("canvas");
  const pen = map.getContext("2d");
  const paint = () => {
    const scale = devicePixelRatio, [width, height] = [Math.max(map.parentNode.clientWidth - AXIS - RIGHT, 1), MAP * scale];
    Object.assign(map.style, {width: `${width}px`, marginLeft: `${AXIS}px`});
    for (const canvas of [map, picture]) Object.assign(canvas, {width: width * scale, height});
    const ctx = picture.getContext("2d"), pixels = (time) => (time / wholeTime) * picture.width;
    for (const op of shown().ops) {
      ctx.fillStyle = palette.bound(op.bound);
      ctx.fillRect(pixels(op.start), 0, Math.max(pixels(op.kernel), 0.5), height);
    }
    frame();
  };
  const frame = () => {
    const {min, max} = timePlots[0].scales.x;
    if (min === null || min === undefined) return;
    const [from, to] = [min, max].map((time) => (time / wholeTime) * map.width);
    pen.clearRect(0, 0, map.width, map.height);
    pen.globalAlpha = 0.25;
    pen.drawImage(picture, 0, 0);
    pen.globalAlpha = 1;
    pen.drawImage(picture, from, 0, to - from, map.height, from, 0, to - from, map.height);
    pen.strokeStyle = palette.get("text");
    pen.lineWidth = 1.5 * devicePixelRatio;
    pen.strokeRect(from + 1, 1, Math.max(to - from - 2, 2), map.height - 2);
    text.textContent = rangeText(min, max);
  };
  const move = (event) => {
    if (!event.buttons) return;
    const {min, max} = timePlots[0].scales.x, box = map.getBoundingClientRect();
    const span = Math.min(max - min, wholeTime), middle = ((event.clientX - box.left) / box.width) * wholeTime;
    const from = Math.max(0, Math.min(middle - span / 2, wholeTime - span));
    timePlots[0].setScale("x", {min: from, max: from + span});
  };
  ["pointerdown", "pointermove"].forEach((name) => map.addEventListener(name, move));
  find("zoom").addEventListener("click", ({target}) => target.dataset.factor && zoom(Number(target.dataset.factor)));
  paint();
  ["theme", "program", "resize"].forEach((event) => on(event, paint));
  on("zoom", frame);
}

function rangeText(min, max) {
  const {ops} = shown(), span = max - min;
  if (span >= wholeTime * 0.9999) return `all: 0 to ${duration(wholeTime)}, ${whole.format(ops.length)} ops`;
  const [unit, name] = max > 2e6 ? [1e6, "ms"] : [1e3, "µs"];
  const digits = Math.max(1, Math.min(3, 3 - Math.floor(Math.log10(Math.max(span, 1) / unit))));
  const [from, to] = [min, max].map((time) => (time / unit).toFixed(digits));
  const count = ops.length ? opAt(ops, max) - opAt(ops, min) + 1 : 0;
  return `${from} to ${to} ${name}: ${duration(span)}, ${percent(span / wholeTime)} % of the time, ${whole.format(count)} ops`;
}
