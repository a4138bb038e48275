// All that is known of the selected op.
function drawDetail() {
  const draw = () => {
    const op = selectedOp(), node = find("detail");
    if (!op) {
      const longest = [...shown().ops].sort((a, b) => b.elapsed - a.elapsed).slice(0, 8);
      node.replaceChildren(element("h2", {}, "Longest ops"), element("ol", {class: "longest"}, longest.map((one) =>
        element("li", {}, element("button", {class: "link", click: () => select(one.index)}, `${one.index} ${one.name}`),
          element("span", {class: "dim"}, ` ${duration(one.elapsed)}, ${percent(one.share)} %, ${one.bound}`)))));
      return;
    }
    node.replaceChildren(
      element("div", {class: "controls"}, element("h2", {}, `${op.index} ${op.name}`),
        element("button", {class: "link", click: () => { state.selected = null; tell("select", null); }, "aria-label": "close"}, "✕")),
      element("p", {class: "location"}, op.location),
      facts(op), termBars(op), tensorList("takes", op.operands), tensorList("gives", op.results),
      ...fields("attributes", op.attributes), ...fields("program configuration", op.config), ...alternatives(op),
    );
  };
  draw();
  ["select", "program", "theme"].forEach((event) => on(event, draw));
}

function facts(op) {
  const within = op.error.replace("*", ""), sign = /^[+-]/.test(within) ? "" : "±";
  const error = op.error === "?" ? "no measurements" : `${sign}${within} %${op.beyond ? `, but ${op.beyond}` : ""}`;
  const rows = {
    "time": `${duration(op.elapsed)}, ${percent(op.share)} % of all`,
    "kernel": `${duration(op.kernel)}, then a gap of ${duration(op.gap)}`,
    "ideal": `${duration(op.ideal)}, ${percent(op.ideal / (op.kernel || 1))} % of the kernel`,
    "bound by": op.bound,
    "trust": op.measured ? `${error}; like ${op.measured}` : error,
    "runs on": `${op.cores} cores of ${op.rows}x${op.cols}, ${op.fidelity}`,
    "work": `${op.flops.toLocaleString("en")} FLOP, ${percent(op.flopShare)} % of the peak`,
    "DRAM": `${size(op.dram)}, ${percent(op.dramShare)} % of the peak`,
    "NoC": size(op.noc),
    "L1": `${size(op.l1)} in use, ${size(op.circular)} in circular buffers`,
  };
  return element("dl", {}, Object.entries(rows).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function termBars(op) {
  const terms = Object.entries(op.terms), longest = Math.max(...terms.map(([, ns]) => ns), 1);
  return element("div", {class: "terms"}, element("h3", {}, "terms of its time"), terms.map(([name, ns]) =>
    element("div", {class: "term"}, element("span", {}, name),
      element("div", {class: "meter"}, element("div", {style: `width:${(100 * ns) / longest}%;background:${palette.bound(name)}`})),
      element("span", {class: "number"}, duration(ns)))));
}

function tensorList(title, tensors) {
  return element("div", {}, element("h3", {}, title), tensors.map((tensor) => element("p", {class: "tensor"},
    element("b", {}, tensor.name), " ", tensor.type, element("br"), element("span", {class: "dim"}, tensor.layout))));
}

// What the op could have had instead, while all others stay; ops alike are explained once.
function alternatives(op) {
  const of = state.program === 0 ? raw.alternatives.of[op.index] : undefined;
  if (of === undefined) return [];
  const text = (place) => raw.strings[place], like = of === op.index ? "" : `, as of op ${of}, which is like it`;
  const ways = raw.alternatives.ways[of].map(([more, ns, cores, operands, results, why]) => element("p", {class: "tensor"},
    element("b", {}, `${more < 0 ? "−" : "+"}${duration(Math.abs(more))}`), ` in all, ${duration(ns)} itself, on ${text(cores)}`, element("br"),
    element("span", {class: "dim"}, `${text(operands)} → ${text(results)}`), element("br"), element("span", {class: "dim"}, text(why))));
  return [element("h3", {}, `alternatives${like}`), ...(ways.length ? ways : [element("p", {class: "fields"}, "none is possible")])];
}

const fields = (title, text) => (text ? [element("h3", {}, title), element("p", {class: "fields"}, text)] : []);
