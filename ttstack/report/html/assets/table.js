// All ops as a table, of which only the rows in view are elements; sorted by a click on a title.
const ROW = 27;
const dash = "–";
const columns = () => [
  {title: "#", width: 54, value: (r) => r.op.index, text: (r) => (r.gone ? dash : String(r.op.index)), help: "number of the op in the order of execution, as ttstack explain takes it"},
  {title: "op", width: 190, left: true, value: (r) => r.op.name, help: "name of the ttnn op"},
  ...(folds() ? [{title: "times", width: 58, value: (r) => times(r.op), text: (r) => (times(r.op) > 1 ? String(times(r.op)) : ""), help: "equal ops of equal modules, of one line or of a time step; figures are their sums"}] : []),
  {title: "µs", width: 82, value: (r) => (r.gone ? 0 : r.op.elapsed), text: (r) => (r.gone ? absent(state.program) : micros(r.op.elapsed)), help: "kernel and the gap after it"},
  ...(raw.pairs ? comparedColumns() : []),
  {title: "%", width: 62, value: (r) => r.op.share, text: (r) => (r.gone ? dash : percent(r.op.share)), bar: true, help: "share of the whole time"},
  {title: "bound", width: 92, left: true, value: (r) => r.op.bound, dot: true, help: "the resource that the op waits for most"},
  {title: "roofline", width: 76, value: (r) => r.op.ideal, text: (r) => micros(r.op.ideal), help: "µs at the peak of matrix units or DRAM"},
  {title: "gap", width: 62, value: (r) => r.op.gap, text: (r) => micros(r.op.gap), help: "µs from its end to the next kernel's start"},
  {title: "trust", width: 104, left: true, value: (r) => r.op.trust, help: "measured: ops of its class with tensors in the same memories; similar: of its class; extrapolated: none like it"},
  {title: "cores", width: 58, value: (r) => r.op.cores, text: (r) => String(r.op.cores), help: "cores that run the kernel"},
  {title: "FLOP%", width: 66, value: (r) => r.op.flopShare, text: (r) => percent(r.op.flopShare), help: "share of the peak of the matrix units at the op's fidelity"},
  {title: "DRAM%", width: 70, value: (r) => r.op.dramShare, text: (r) => percent(r.op.dramShare), help: "share of the peak rate of DRAM"},
  {title: "L1", width: 84, value: (r) => r.op.l1, text: (r) => size(r.op.l1), help: "in use of the fullest core"},
  {title: "result", width: 190, left: true, value: (r) => r.op.results[0]?.short ?? "", help: "layout of the first result"},
  {title: "location", width: 420, left: true, value: (r) => r.op.location, text: (r) => shortLocation(r.op.location), help: "module and line of the model"},
];

// How an op is called that a program of a comparison does not have: the later one lost it, or the earlier one had none.
const absent = (program) => (program ? "new" : "gone");

const comparedColumns = () => [
  {title: state.program ? "after" : "before", width: 82, value: (r) => r.other?.elapsed ?? 0, text: (r) => (r.other ? micros(r.other.elapsed) : absent(1 - state.program))},
  {title: "change", width: 82, value: (r) => r.change, text: (r) => difference.format(r.change / 1000), signed: true, help: "µs"},
];

const table = {sort: 0, down: false, shown: [], columns: []};

function drawTable() {
  const search = element("input", {type: "search", id: "search", placeholder: "search ops, locations, types (/)", "aria-label": "search ops", input: (event) => {
    state.search = event.target.value.trim().toLowerCase();
    tell("filter");
  }});
  table.every = element("button", {id: "every", "aria-pressed": false, title: "a row for each op, or one for equal ops", click: () => {
    state.everyOp = !state.everyOp;
    table.sort = 0;
    table.down = false;
    resetTable();
  }}, "every op");
  table.count = element("span", {class: "dim", role: "status"});
  table.clear = element("button", {click: clearFilters}, "show all");
  table.body = element("tbody");
  table.head = element("thead");
  table.grid = element("table", {class: "ops", role: "grid", "aria-label": "ops"});
  table.box = element("div", {class: "scroll ops-box", tabindex: 0, scroll: () => fillTable()}, table.grid);
  find("table").replaceChildren(element("div", {class: "controls"}, search, table.every, table.clear, table.count), table.box);
  resetTable();
  on("program", resetTable);
  on("filter", orderTable);
  on("theme", fillTable);
  on("resize", fillTable);
  on("select", revealRow);
}

function resetTable() {
  table.every.hidden = raw.pairs || !shown().equal.length;
  table.every.setAttribute("aria-pressed", Boolean(state.everyOp));
  table.columns = columns();
  const width = table.columns.reduce((sum, column) => sum + column.width, 0);
  table.grid.style.width = `${width}px`;
  table.grid.replaceChildren(
    element("colgroup", {}, table.columns.map((column) => element("col", {style: `width:${column.width}px`}))), table.head, table.body);
  orderTable();
}

function orderTable() {
  const {value} = table.columns[table.sort], direction = table.down ? -1 : 1;
  const order = (a, b) => (typeof a === "string" ? a.localeCompare(b) : (isNaN(a) ? Infinity : a) - (isNaN(b) ? Infinity : b));
  table.shown = tableRows();
  table.shown.sort((a, b) => direction * order(value(a), value(b)) || a.op.index - b.op.index);
  const ns = table.shown.reduce((sum, row) => sum + (row.gone ? 0 : row.op.elapsed), 0);
  const group = state.group ? ` in ${state.group.path}` : "";
  const count = table.shown.reduce((sum, row) => sum + times(row.op), 0), all = raw.pairs?.length ?? shown().ops.length;
  table.count.textContent = `${whole.format(count)} of ${whole.format(all)} ops${group}, ${duration(ns)}, ${percent(ns / (shown().total || 1))} %`;
  table.clear.hidden = !filtered();
  table.head.replaceChildren(element("tr", {}, table.columns.map(titleCell)));
  fillTable();
}

function titleCell(column, index) {
  const sorted = index === table.sort ? (table.down ? "descending" : "ascending") : "none";
  const act = () => {
    table.down = index === table.sort ? !table.down : !column.left && index > 0;
    table.sort = index;
    orderTable();
  };
  const sign = {ascending: " ↑", descending: " ↓", none: ""}[sorted];
  return element("th", {"aria-sort": sorted, class: column.left ? "left" : null, title: column.help ? `${column.help}; click to sort` : "click to sort"}, element("button", {click: act}, column.title + sign));
}

function fillTable() {
  const first = printing.on ? 0 : Math.max(0, Math.floor(table.box.scrollTop / ROW) - 8);
  const last = Math.min(table.shown.length, printing.on ? MOST_PRINTED : first + Math.ceil(table.box.clientHeight / ROW) + 24);
  const space = (rows) => (rows ? [element("tr", {style: `height:${rows * ROW}px`, "aria-hidden": "true"})] : []);
  table.grid.setAttribute("aria-rowcount", table.shown.length + 1);
  const rows = table.shown.slice(first, last).map((row, i) => opRow(row, first + i));
  table.body.replaceChildren(...space(first), ...rows, ...space(table.shown.length - last));
}

function opRow(row, index) {
  const act = () => (row.gone ? select(row.op.index, 1 - state.program) : select(row.op.index));
  const chosen = !row.gone && standsFor(row.op, state.selected);
  return element("tr", {"aria-rowindex": index + 2, "aria-selected": chosen, class: row.gone ? "gone" : null, click: act}, table.columns.map((column) => cell(column, row)));
}

function cell(column, row) {
  const text = (column.text ?? column.value)(row);
  const node = element("td", {class: column.left ? "left" : "number", title: column.left ? column.value(row) : null});
  if (column.dot) node.append(element("i", {class: "dot", style: `background:${palette.bound(row.op.bound)}`}));
  if (column.bar) node.style.backgroundSize = `${Math.min(100, 100 * row.op.share * (table.shown.length > 40 ? 4 : 1))}% 100%`, node.classList.add("bar");
  if (column.signed && row.change) node.classList.add(row.change > 0 ? "worse" : "better");
  node.append(text);
  return node;
}

function revealRow() {
  const at = table.shown.findIndex((row) => !row.gone && standsFor(row.op, state.selected));
  if (at >= 0 && (at * ROW < table.box.scrollTop || (at + 2) * ROW > table.box.scrollTop + table.box.clientHeight)) {
    table.box.scrollTop = at * ROW - table.box.clientHeight / 2;
  }
  fillTable();
}

function clearFilters() {
  state.bounds.clear();
  state.classes.clear();
  state.group = null;
  state.search = find("search").value = "";
  tell("filter");
}
