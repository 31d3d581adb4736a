import { figureDocument } from "./document.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An SVG element: `svg("g", { fill: "none" }, child, "text")`. What is undefined is left out. */
export function svg(
  name: string,
  attributes: Attributes,
  ...children: readonly (Element | string | undefined)[]
): SVGElement {
  const page = figureDocument();
  const element = page.createElementNS(NAMESPACE, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, String(value));
  }
  for (const child of children) {
    if (child !== undefined)
      element.appendChild(typeof child === "string" ? page.createTextNode(child) : child);
  }
  return element;
}

const ELEMENT = 1;
const GEOMETRY = /^(?:[cr]?[xy][12]?|r|d[xy]?|width|height|transform|points|offset|stroke-width|font-size)$/;
/** Elements in which white space counts: their content stays on one line. */
const INLINE = /^(?:text|tspan|title|desc)$/;
/** Plot's marks of itself: noise beside the figure's own title and description. */
const DROPPED = /^(?:class|aria-label|aria-hidden)$/;

/**
 * An element as XML. Our own serialiser, because a page's differs from linkedom's in the order of attributes
 * and in entities: with sorted attributes and lengths to a hundredth a figure is the same text everywhere.
 */
export function serialize(element: Element, indent = ""): string {
  const attributes = Array.from(element.attributes)
    .filter(({ name }) => !DROPPED.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, value }) => ` ${name}="${escaped(GEOMETRY.test(name) ? rounded(value) : value)}"`)
    .join("");
  const open = `${indent}<${element.localName}${attributes}`;
  const children = Array.from(element.childNodes);
  if (children.length === 0) return `${open}/>`;
  if (INLINE.test(element.localName)) {
    const inline = children.map((child) =>
      child.nodeType === ELEMENT ? serialize(child as Element) : escaped(child.nodeValue ?? ""),
    );
    return `${open}>${inline.join("")}</${element.localName}>`;
  }
  const lines = children.map((child) => serialize(child as Element, `${indent} `));
  return `${open}>\n${lines.join("\n")}\n${indent}</${element.localName}>`;
}

function rounded(value: string): string {
  return value.replace(/-?\d*\.\d+(?:e[-+]?\d+)?/g, (digits) =>
    String(Math.round(Number(digits) * 100) / 100 || 0),
  );
}

function escaped(text: string): string {
  return text.replace(
    /[&<>"]/g,
    (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]!,
  );
}
