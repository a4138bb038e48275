// Ops added up by module, class, name or calls, as a tree; a click shows a group's ops in the table and the timeline.
const opened = new Set();

function decodeGroup([name, ns, ideal, own, groups], path = "", other = null) {
  const full = path ? `${path}.${name}` : name;
  const partner = (inner) => other?.[4].find((group) => group[0] === inner[0]);
  const inner = groups.map((group) => decodeGroup(group, full, partner(group)));
  const ops = new Set([...own, ...inner.flatMap((group) => [...group.ops])]);
  return {name, ns, ideal, path: full, ops, inner, before: other?.[1]};
}

function drawTree() {
  const node = find("tree");
  const draw = () => {
    const other = programs[1 - state.program];
    const root = decodeGroup(shown().groups[state.by], "", other?.groups[state.by]);
    if (!opened.size) openDown(root);
    const head = [state.by, "ops", ...(other ? [state.program ? "after" : "before"] : []), "µs", "%", "roofline"];
    const table = element("table", {role: "treegrid", "aria-label": `ops by ${state.by}`},
      element("thead", {}, element("tr", {}, head.map((title) => element("th", {}, title)))),
      element("tbody", {keydown: walk}, treeRows(root.inner, 1)));
    node.replaceChildren(element("div", {class: "scroll"}, table));
  };
  const focused = () => document.activeElement?.dataset?.path;
  const again = () => {
    const path = focused(), top = node.firstChild?.scrollTop ?? 0;
    draw();
    node.firstChild.scrollTop = top;
    if (path) node.querySelector(`[data-path="${CSS.escape(path)}"]`)?.focus();
  };
  draw();
  find("grouping").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) groupBy(button.dataset.by);
  });
  ["program", "filter", "opened"].forEach((event) => on(event, again));
}

function groupBy(kind) {
  state.by = kind;
  state.group = null;
  opened.clear();
  for (const button of find("grouping").children) button.setAttribute("aria-checked", button.dataset.by === kind);
  tell("filter");
}

// Its ops alone are shown, and the part of the timeline from the first to the last; or all again.
function chooseGroup(group) {
  const chosen = state.group?.path === group.path;
  state.group = chosen ? null : group;
  const {ops} = shown(), first = group.ops.values().next().value;
  if (!chosen && first !== undefined) {
    let [from, to] = [first, first];
    for (const number of group.ops) [from, to] = [Math.min(from, number), Math.max(to, number)];
    reveal(ops[from].start, ops[to].end);
  } else zoom(0);
  tell("filter");
}

// The longest groups are open at first, as far down as that shows a screen of them.
function openDown(group, room = 40) {
  opened.add(group.path);
  const longest = group.inner.reduce((a, b) => (b.ns > (a?.ns ?? 0) ? b : a), null);
  const left = room - group.inner.length;
  if (longest?.inner.length && longest.inner.length <= left) openDown(longest, left);
}

function* treeRowsOf(groups, level) {
  for (const group of groups) {
    yield treeRow(group, level);
    if (opened.has(group.path)) yield* treeRowsOf(group.inner, level + 1);
  }
}

const treeRows = (groups, level) => [...treeRowsOf(groups, level)];

function treeRow(group, level) {
  const share = group.ns / (shown().total || 1), open = opened.has(group.path);
  const sign = group.inner.length ? (open ? "▾" : "▸") : "";
  const chosen = state.group?.path === group.path;
  const turn = (event) => {
    event.stopPropagation();
    if (!opened.delete(group.path)) opened.add(group.path);
    tell("opened");
  };
  const number = (text) => element("td", {class: "number"}, text);
  const row = element("tr", {
    tabindex: 0, "data-path": group.path, "aria-level": level, "aria-selected": chosen,
    "aria-expanded": group.inner.length ? open : null, click: () => chooseGroup(group), title: group.path,
  },
    element("td", {class: "name", style: `padding-left:${8 + 16 * (level - 1)}px`},
      element("span", {class: "sign", click: turn}, sign), element("span", {}, group.name)),
    number(whole.format(group.ops.size)),
    programs.length > 1 ? number(group.before === undefined ? "–" : micros(group.before)) : null,
    number(micros(group.ns)), number(percent(share)),
    element("td", {}, element("div", {class: "meter wide-meter", title: `roofline: ${duration(group.ideal)}`},
      element("div", {class: "pale", style: `width:${100 * share}%`},
        element("div", {style: `width:${Math.min(100, (100 * group.ideal) / (group.ns || 1))}%`})))));
  row.turn = turn;
  row.group = group;
  return row;
}

function walk(event) {
  const row = event.target.closest("tr"), open = opened.has(row.group.path);
  const act = {
    ArrowDown: () => row.nextElementSibling?.focus(),
    ArrowUp: () => row.previousElementSibling?.focus(),
    ArrowRight: () => !open && row.group.inner.length && row.turn(event),
    ArrowLeft: () => open && row.turn(event),
    Enter: () => row.click(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
