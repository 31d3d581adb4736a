/** Throws unless the text is one well-formed XML element: matching tags, quoted attributes, known entities. */
export function assertWellFormed(xml: string): void {
  const open: string[] = [];
  const token = /<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  let roots = 0;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    if (!match) throw new Error(`not XML from: ${xml.slice(at, at + 60)}`);
    const [whole, closing, name, attributes, selfClosing, text] = match;
    if (/&(?!(?:amp|lt|gt|quot);)/.test(whole)) throw new Error(`a bare ampersand in: ${whole.slice(0, 60)}`);
    if (text !== undefined) {
      if (open.length === 0 && text.trim()) throw new Error(`text outside the root: ${text}`);
      continue;
    }
    const names = [...attributes.matchAll(/([\w:-]+)=/g)].map((found) => found[1]);
    if (new Set(names).size !== names.length) throw new Error(`a repeated attribute in: ${whole}`);
    if (closing) {
      if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      if (open.length === 0 && ++roots > 1) throw new Error(`a second root: ${whole}`);
      if (!selfClosing) open.push(name);
    }
  }
  if (open.length > 0 || roots !== 1) throw new Error(`left open: ${open.join(", ")}`);
}

/** Text of every <text> element of an SVG, without its mark-up. */
export function texts(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map((match) => match[1].replace(/<[^>]+>/g, ""));
}
