// Numbers as people read them, elements of the page, and colours of the theme.
const digits = {minimumFractionDigits: 1, maximumFractionDigits: 1};
const oneDecimal = new Intl.NumberFormat("en", {...digits, signDisplay: "negative"});
const difference = new Intl.NumberFormat("en", {...digits, signDisplay: "exceptZero"});
const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
const micros = (ns) => oneDecimal.format(ns / 1000);
const percent = (share) => oneDecimal.format(100 * share);
const duration = (ns) =>
  ns < 1e3 ? `${whole.format(ns)} ns` : ns < 1e6 ? `${micros(ns)} µs` : `${(ns / 1e6).toFixed(2)} ms`;

function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const unit = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return unit ? `${(bytes / 1024 ** unit).toFixed(1)} ${units[unit]}` : `${bytes} B`;
}

// An element with attributes (functions are listeners) and children; texts are never read as HTML.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const find = (id) => document.getElementById(id);

// Custom properties of the style sheet; read anew when the theme changes.
const palette = {
  read: {},
  get(name) {
    return (this.read[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  },
  bound(name) {
    return this.get(`bound-${name}`) || this.get("bound-other");
  },
  forget() {
    this.read = {};
  },
};

function shortLocation(location) {
  const [name, place] = location.includes(" (") ? location.split(" (") : ["", location];
  const file = place.replace(/\)$/, "").split("/").pop();
  return name ? `${name} (${file})` : file;
}
