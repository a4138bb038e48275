// All ops as a table, of which only the rows in view are elements; sorted by a click on a title.
const ROW = 27;
const dash = "–";
const columns = () => [
  {title: "#", width: 54, value: (r) => r.op.index, text: (r) => (r.gone ? dash : String(r.op.index))},
  {title: "op", width: 190, left: true, value: (r) => r.op.name},
  ...(folds() ? [{title: "times", width: 58, value: (r) => times(r.op), text: (r) => (times(r.op) > 1 ? String(times(r.op)) : ""), help: "how often the step of this op is called; figures are those of all calls"}] : []),
  {title: "µs", width: 82, value: (r) => (r.gone ? 0 : r.op.elapsed), text: (r) => (r.gone ? "gone" : micros(r.op.elapsed)), help: "kernel and the gap after it"},
  ...(raw.pairs ? comparedColumns() : []),
  {title: "%", width: 62, value: (r) => r.op.share, text: (r) => (r.gone ? dash : percent(r.op.share)), bar: true},
  {title: "bound", width: 92, left: true, value: (r) => r.op.bound, dot: true},
  {title: "ideal", width: 76, value: (r) => r.op.ideal, text: (r) => micros(r.op.ideal), help: "µs at the peak of matrix units or DRAM"},
  {title: "gap", width: 62, value: (r) => r.op.gap, text: (r) => micros(r.op.gap), help: "µs from its end to the next kernel's start"},
  {title: "±%", width: 74, value: (r) => parseFloat(r.op.error), text: (r) => r.op.error, help: "two of three measurements of ops like it lie within; * or ?: nothing like it was measured"},
  {title: "cores", width: 58, value: (r) => r.op.cores, text: (r) => String(r.op.cores)},
  {title: "FLOP%", width: 66, value: (r) => r.op.flopShare, text: (r) => percent(r.op.flopShare)},
  {title: "DRAM%", width: 70, value: (r) => r.op.dramShare, text: (r) => percent(r.op.dramShare)},
  {title: "L1", width: 84, value: (r) => r.op.l1, text: (r) => size(r.op.l1), help: "in use of the fullest core"},
  {title: "result", width: 190, left: true, value: (r) => r.op.results[0]?.short ?? ""},
  {title: "location", width: 420, left: true, value: (r) => r.op.location, text: (r) => shortLocation(r.op.location)},
];

const comparedColumns = () => [
  {title: state.program ? "after" : "before", width: 82, value: (r) => r.other?.elapsed ?? 0, text: (r) => (r.other ? micros(r.other.elapsed) : "new")},
  {title: "change", width: 82, value: (r) => r.change, text: (r) => difference.format(r.change / 1000), signed: true, help: "µs"},
];

const table = {sort: 0, down: false, rows: [], shown: [], columns: []};

function drawTable() {
  const search = element("input", {type: "search", id: "search", placeholder: "search ops, locations, types (/)", "aria-label": "search ops", input: (event) => {
    state.search = event.target.value.trim().toLowerCase();
    tell("filter");
  }});
  table.calls = element("button", {id: "calls", "aria-pressed": false, click: () => {
    state.everyCall = !state.everyCall;
    table.sort = 0;
    table.down = false;
    resetTable();
  }}, "every call");
  table.count = element("span", {class: "dim", role: "status"});
  table.clear = element("button", {click: clearFilters}, "show all");
  table.body = element("tbody");
  table.head = element("thead");
  table.grid = element("table", {class: "ops", role: "grid", "aria-label": "ops"});
  table.box = element("div", {class: "scroll ops-box", tabindex: 0, scroll: () => fillTable()}, table.grid);
  find("table").replaceChildren(element("div", {class: "controls"}, search, table.calls, table.clear, table.count), table.box);
  resetTable();
  on("program", resetTable);
  on("filter", orderTable);
  on("theme", fillTable);
  on("resize", fillTable);
  on("select", revealRow);
}

function resetTable() {
  table.rows = tableRows();
  table.calls.hidden = raw.pairs || !shown().steps.length;
  table.calls.setAttribute("aria-pressed", Boolean(state.everyCall));
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
  table.shown = table.rows.filter((row) => passes(row.op));
  table.shown.sort((a, b) => direction * order(value(a), value(b)) || a.op.index - b.op.index);
  const ns = table.shown.reduce((sum, row) => sum + (row.gone ? 0 : row.op.elapsed), 0);
  const group = state.group ? ` in ${state.group.path}` : "";
  const count = (rows) => whole.format(rows.reduce((sum, row) => sum + times(row.op), 0));
  table.count.textContent = `${count(table.shown)} of ${count(table.rows)} ops${group}, ${duration(ns)}, ${percent(ns / (shown().total || 1))} %`;
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
  return element("th", {"aria-sort": sorted, class: column.left ? "left" : null, title: column.help ?? "sort"}, element("button", {click: act}, column.title + sign));
}

function fillTable() {
  const first = Math.max(0, Math.floor(table.box.scrollTop / ROW) - 8);
  const last = Math.min(table.shown.length, first + Math.ceil(table.box.clientHeight / ROW) + 24);
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
  if (column.bar) node.style.backgroundSize = `${Math.min(100, 100 * row.op.share * (shown().ops.length > 40 ? 4 : 1))}% 100%`, node.classList.add("bar");
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
