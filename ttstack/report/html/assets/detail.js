// All that is known of the selected op; without one, what the whole program spends its time on.
function drawDetail() {
  const draw = () => {
    const op = selectedOp(), node = find("detail");
    if (!op) {
      node.replaceChildren(...overview());
      return;
    }
    node.replaceChildren(
      element("div", {class: "controls"}, element("h2", {}, `${op.index} ${op.name}`),
        element("button", {class: "link", click: () => { state.selected = null; tell("select", null); }, "aria-label": "close"}, "✕")),
      element("p", {class: "location"}, op.location), ...equalOps(op),
      facts(op), savedBars("saved by 10 % more of", Object.entries(op.saved)), ...advice(op.bound), termBars(op),
      tensorList("inputs", op.operands), tensorList("outputs", op.results),
      ...fields("attributes", op.attributes), ...fields("program configuration", op.config), ...alternatives(op),
    );
  };
  draw();
  ["select", "program", "theme"].forEach((event) => on(event, draw));
}

// How many ops are equal to this one, and what they take together.
function equalOps(op) {
  const {ops, equal, total} = shown(), numbers = equal.find((set) => set.numbers.includes(op.index))?.numbers;
  if (!numbers) return [];
  const ns = numbers.reduce((sum, number) => sum + ops[number].elapsed, 0), share = percent(ns / (total || 1));
  return [element("p", {class: "location"}, `One of ${whole.format(numbers.length)} equal ops; together ${duration(ns)}, ${share} %.`)];
}

function facts(op) {
  const rows = {
    "time": `${duration(op.elapsed)}, ${percent(op.share)} % of all`,
    "likely": op.likely,
    "kernel": `${duration(op.kernel)}, then a gap of ${duration(op.gap)}`,
    "roofline": `${duration(op.ideal)}, ${percent(op.ideal / (op.kernel || 1))} % of the kernel`,
    "bound by": boundText(op.bound),
    "trust": [op.trust, op.measured && `class ${op.measured}`, op.beyond].filter(Boolean).join("; "),
    "runs on": `${op.cores} cores${op.cores > op.rows * op.cols ? "" : ` of ${op.rows}x${op.cols}`}, ${op.fidelity}`,
    "FLOPs": `${op.flops.toLocaleString("en")}, ${percent(op.flopShare)} % of the peak`,
    "DRAM": `${size(op.dram)}, ${percent(op.dramShare)} % of the peak`,
    "NoC": size(op.noc),
    "L1": `${size(op.l1)} in use, ${size(op.circular)} in circular buffers`,
  };
  return element("dl", {}, Object.entries(rows).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

// The name of a resource, and what an op waits for.
function boundText(name) {
  const meaning = raw.legend.resources[name]?.[1];
  return meaning ? `${name}: ${meaning}` : name;
}

function tensorList(title, tensors) {
  return element("div", {}, element("h3", {}, title), tensors.map((tensor) => element("p", {class: "tensor"},
    element("b", {}, tensor.name), " ", tensor.type, element("br"), element("span", {class: "dim"}, tensor.layout))));
}

// What the op could have had instead, while all others stay; ops alike are explained once.
function alternatives(op) {
  const of = state.program === 0 ? raw.alternatives.of[op.index] : undefined;
  if (of === undefined) return [];
  const text = (place) => raw.strings[place], like = of === op.index ? "" : `, computed for op ${of}, which is equal`;
  const ways = raw.alternatives.ways[of].map(([more, ns, cores, operands, results, why]) => element("p", {class: "tensor"},
    element("b", {}, `${more < 0 ? "−" : "+"}${duration(Math.abs(more))}`), ` in total, ${duration(ns)} for the op, on ${text(cores)} cores`, element("br"),
    element("span", {class: "dim"}, `${text(operands)} → ${text(results)}`), element("br"), element("span", {class: "dim"}, text(why))));
  return [element("h3", {}, `alternatives${like}`), ...(ways.length ? ways : [element("p", {class: "fields"}, "none")])];
}

const fields = (title, text) => (text ? [element("h3", {}, title), element("p", {class: "fields"}, text)] : []);
