// What lies under the pointer, beside it.
const tooltip = {
  show(event, title, lines) {
    const node = find("tooltip");
    node.replaceChildren(element("b", {}, title), ...lines.map((line) => element("div", {}, line)));
    node.style.display = "block";
    const box = node.getBoundingClientRect();
    const left = event.clientX + 14 + box.width > innerWidth ? event.clientX - box.width - 14 : event.clientX + 14;
    node.style.left = `${Math.max(left, 4)}px`;
    node.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 4))}px`;
  },
  hide() {
    find("tooltip").style.display = "none";
  },
};

function opLines(op) {
  const gap = `then a gap of ${duration(op.gap)}`;
  return [
    shortLocation(op.location),
    `${duration(op.kernel)} in the kernel, ${gap}`,
    `bound by ${op.bound}; roofline ${duration(op.ideal)}`,
  ];
}
