// Rows of the table: ops; those of equal modules, of one line or of a repeated time step once, with their sums.
// Of a comparison each op of the program that is shown with its partner, and those that have none here.
function tableRows() {
  const {ops} = shown();
  if (!raw.pairs) return (folds() ? foldedOps(shown(), passes) : ops.filter(passes)).map((op) => ({op}));
  const others = programs[1 - state.program].ops;
  const direction = state.program ? -1 : 1;
  return raw.pairs.map((pair) => {
    const op = ops[pair[state.program]], other = others[pair[1 - state.program]];
    return {op: op ?? other, other, gone: !op, change: direction * ((op?.elapsed ?? 0) - (other?.elapsed ?? 0))};
  }).filter((row) => passes(row.op));
}

const folds = () => !raw.pairs && !state.everyOp && shown().equal.length > 0;

// The ops that pass, equal ones as one, in the order of the first of them.
function foldedOps({ops, equal}, passing = () => true) {
  const folded = new Set(equal.flatMap(({numbers}) => numbers));
  const rows = ops.filter((op) => !folded.has(op.index) && passing(op));
  for (const {numbers, location} of equal) {
    const found = numbers.map((number) => ops[number]).filter(passing);
    const part = found.length < numbers.length ? `${location}, ${found.length} of ${numbers.length}` : location;
    if (found.length) rows.push(found.length > 1 ? together(found, part) : found[0]);
  }
  return rows.sort((a, b) => a.index - b.index);
}

function together(members, location) {
  const sum = (value) => members.reduce((total, op) => total + value(op), 0);
  const longest = members.reduce((a, b) => (b.elapsed > a.elapsed ? b : a));
  const kernel = sum((op) => op.kernel);
  const row = {...longest, location, index: members[0].index, kernel, members: new Set(members.map((op) => op.index))};
  for (const name of ["elapsed", "gap", "ideal", "share"]) row[name] = sum((op) => op[name]);
  for (const name of ["flopShare", "dramShare"]) row[name] = sum((op) => op[name] * op.kernel) / (kernel || 1);
  row.l1 = Math.max(...members.map((op) => op.l1));
  return row;
}

const times = (op) => op.members?.size ?? 1;
const standsFor = (op, index) => op.index === index || Boolean(op.members?.has(index));
