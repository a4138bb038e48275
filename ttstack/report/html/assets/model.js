// The programs of the page, decoded once, and what the user has chosen; parts of the page listen for changes.
const raw = JSON.parse(find("data").textContent);

function decode(program) {
  const text = (place) => raw.strings[place];
  const tensors = program.tensors.map(([name, type, layout, short, rows, cols]) => ({
    name: text(name), type: text(type), layout: text(layout), short: text(short), rows, cols,
  }));
  let clock = 0;
  const ops = program.numbers.kernel.map((_, index) => {
    const op = {index, terms: program.terms[index], saved: program.saved[index]};
    for (const name in program.numbers) op[name] = program.numbers[name][index];
    for (const name in program.texts) op[name] = text(program.texts[name][index]);
    op.operands = program.operands[index].map((i) => tensors[i]);
    op.results = program.results[index].map((i) => tensors[i]);
    op.elapsed = op.kernel + op.gap;
    op.share = op.elapsed / program.total;
    op.start = clock;
    op.end = clock + op.kernel;
    clock += op.elapsed;
    return op;
  });
  const buffers = program.buffers.map(([tensor, inL1, kind, address, bytes, first, last]) => ({
    tensor: tensors[tensor], inL1: Boolean(inL1), kind: text(kind), address, bytes, first, last,
  }));
  const equal = program.equal.map(([location, numbers]) => ({location: text(location), numbers}));
  return {...program, ops, buffers, equal, end: clock};
}

const programs = raw.programs.map(decode);
const wholeTime = Math.max(...programs.map((program) => program.end), 1);
const state = {program: 0, selected: null, bounds: new Set(), classes: new Set(), by: raw.by, group: null, search: ""};
const listeners = {};
const on = (event, act) => (listeners[event] ??= []).push(act);
const tell = (event, value) => (listeners[event] ?? []).forEach((act) => act(value));
const shown = () => programs[state.program];
const selectedOp = () => shown().ops[state.selected] ?? null;

// What is selected is an op of the program that is shown.
function select(index, program = state.program) {
  if (program !== state.program) show(program);
  state.selected = Math.max(0, Math.min(index, shown().ops.length - 1));
  tell("select", selectedOp());
}

// The other program of a comparison; the selection goes to the op's partner.
function show(program) {
  const pair = state.selected === null ? null : raw.pairs?.find((numbers) => numbers[state.program] === state.selected);
  state.program = program;
  state.selected = pair?.[program] ?? null;
  state.group = null;
  tell("program");
  tell("filter");
  tell("select", selectedOp());
}

const filtered = () => state.bounds.size || state.classes.size || state.group || state.search;

function passes(op) {
  if (state.bounds.size && !state.bounds.has(op.bound)) return false;
  if (state.classes.size && !state.classes.has(op.class)) return false;
  if (state.group && !state.group.ops.has(op.index)) return false;
  if (!state.search) return true;
  op.searched ??= [op.index, op.name, op.class, op.location, op.bound, ...op.results.map((t) => t.type + t.layout)]
    .join(" ").toLowerCase();
  return state.search.split(/\s+/).every((word) => op.searched.includes(word));
}

function toggle(set, value) {
  if (!set.delete(value)) set.add(value);
  tell("filter");
}

// The position of the op that runs at a time, or after which the gap is.
function opAt(ops, time) {
  let low = 0, high = ops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ops[middle].start <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
