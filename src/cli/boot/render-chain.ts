// cli/boot/render-chain.ts: a chain as text: the last link first, each with what went on inside it.
import { formatSpan } from '../../base/duration.ts';
import type { ChainLink } from '../../boot/chain.ts';
import { printable } from '../output/table.ts';

/** Parts shown under a link: enough to see where its time went. */
const PARTS_SHOWN = 5;
/** Shorter silences are the manager's own bookkeeping. */
const GAP_SHOWN_US = 100_000;

export function renderChain(links: readonly ChainLink[]): string {
  return `${links.flatMap((link, depth) => describe(link, depth)).join('\n')}\n`;
}

function describe(link: ChainLink, depth: number): string[] {
  const indent = '  '.repeat(Math.max(0, depth - 1));
  const tookUs = link.endUs - link.startUs;
  const wait = link.wait === undefined ? '' : ` [wait: ${printable(link.wait)}]`;
  const took = tookUs > 0 ? ` +${formatSpan(tookUs)}` : '';
  const lines = [`${indent}${depth > 0 ? '└─' : ''}${printable(link.name)} @${formatSpan(link.startUs)}${took}${wait}`];
  const parts = link.inside
    .filter((part) => part.endUs - part.startUs >= Math.max(10_000, tookUs / 50))
    .sort((a, b) => b.endUs - b.startUs - (a.endUs - a.startUs))
    .slice(0, PARTS_SHOWN)
    .sort((a, b) => a.startUs - b.startUs);
  for (const part of parts) {
    const why = part.wait === undefined ? '' : ` [wait: ${printable(part.wait)}]`;
    lines.push(`${indent}    · ${printable(part.name)} +${formatSpan(part.endUs - part.startUs)}${why}`);
  }
  if (link.gapUs >= GAP_SHOWN_US)
    lines.push(`${indent}  (${formatSpan(link.gapUs)} before it that no source explains)`);
  return lines;
}
