// Rows of the table: ops, those of a step that is called again and again once, with the sums of all calls.
// Each op of the program that is shown, in a comparison with its partner, and those that have none here.
function tableRows() {
  const {ops, steps} = shown();
  if (!raw.pairs) return (state.everyCall ? ops : once(ops, steps)).map((op) => ({op}));
  const others = programs[1 - state.program].ops;
  const direction = state.program ? -1 : 1;
  return raw.pairs.map((pair) => {
    const op = ops[pair[state.program]], other = others[pair[1 - state.program]];
    return {op: op ?? other, other, gone: !op, change: direction * ((op?.elapsed ?? 0) - (other?.elapsed ?? 0))};
  });
}

const folds = () => !raw.pairs && !state.everyCall && shown().steps.length > 0;

function once(ops, steps) {
  const rows = [];
  let at = 0;
  for (const [first, length, calls] of steps) {
    rows.push(...ops.slice(at, first));
    at = first + length * calls;
    for (let place = first; place < first + length; place++) {
      rows.push(together(ops.slice(place, at).filter((_, i) => i % length === 0)));
    }
  }
  return [...rows, ...ops.slice(at)];
}

function together(calls) {
  const sum = (value) => calls.reduce((total, op) => total + value(op), 0);
  const longest = calls.reduce((a, b) => (b.elapsed > a.elapsed ? b : a));
  const kernel = sum((op) => op.kernel);
  const row = {...longest, index: calls[0].index, kernel, calls: new Set(calls.map((op) => op.index)), searched: undefined};
  for (const name of ["elapsed", "gap", "ideal", "share"]) row[name] = sum((op) => op[name]);
  for (const name of ["flopShare", "dramShare"]) row[name] = sum((op) => op[name] * op.kernel) / (kernel || 1);
  row.l1 = Math.max(...calls.map((op) => op.l1));
  return row;
}

const times = (op) => op.calls?.size ?? 1;
const standsFor = (op, index) => op.index === index || Boolean(op.calls?.has(index));
