/// <reference lib="dom" />
// boot/render/report/elements.ts: how are elements created? Only by tag name and text: data is never parsed as markup.

type Child = Node | string | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function svgEl(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export function marked(text: string, query: string): (Node | string)[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const pieces: (Node | string)[] = [];
  const lower = text.toLowerCase();
  let at = 0;
  while (at < text.length && words.length > 0) {
    const next = words
      .map((word) => ({ word, index: lower.indexOf(word, at) }))
      .filter(({ index }) => index >= 0)
      .sort((a, b) => a.index - b.index || b.word.length - a.word.length)[0];
    if (!next) break;
    const endsAt = next.index + next.word.length;
    pieces.push(text.slice(at, next.index), el('mark', {}, text.slice(next.index, endsAt)));
    at = endsAt;
  }
  return [...pieces, text.slice(at)];
}

/** A canvas needs the resolved colour, and browsers resolve custom properties only on an element. */
export function colourOf(className: string): string {
  const probe = el('i', { class: className, hidden: '' });
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
