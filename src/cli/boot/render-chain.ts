// cli/boot/render-chain.ts: renders a chain as text: the last link first, each with its longest parts.
import { formatSpan } from '../../base/duration.ts';
import { triggerEvent } from '../../boot/model/triggered-units.ts';
import type { ChainLink } from '../../boot/questions/chain.ts';
import { displayWidth, wrapText } from '../output/display-width.ts';
import { paint } from '../output/paint.ts';
import { PIPE, type Screen } from '../output/screen.ts';
import { printable } from '../output/table.ts';

/** Parts shown under a link: enough to see where its time went. */
const PARTS_SHOWN = 5;
/** Shorter gaps are overhead of systemd itself. */
const GAP_SHOWN_US = 100_000;

export function renderBootChain(links: readonly ChainLink[], screen: Screen = PIPE): string {
  const longest = links.reduce((most, { name }) => Math.max(most, displayWidth(printable(name))), 0);
  const deepest = indentLimit(longest, screen);
  return `${links.flatMap((link, depth) => describe(link, depth, deepest, screen)).join('\n')}\n`;
}

/** Limits the indentation to a third of the terminal: a chain has no branches, so deeper indentation shows nothing. */
export function indentLimit(longestName: number, { columns }: Screen): number {
  return Math.max(0, Math.min(Math.floor(columns / 3), columns - longestName - 2));
}

function describe(link: ChainLink, depth: number, deepest: number, screen: Screen): string[] {
  const indent = ' '.repeat(Math.min(deepest, 2 * Math.max(0, depth - 1)));
  const tookUs = link.endUs - link.startUs;
  const waitOf = (wait: string | undefined) =>
    wait === undefined ? '' : ` ${paint(`[wait: ${printable(wait)}]`, 'wait', screen)}`;
  const took = tookUs > 0 ? ` +${formatSpan(tookUs)}` : '';
  const name = paint(printable(link.name), tookUs > 0 ? 'path' : undefined, screen);
  const failedOf = ({ result, failure }: Pick<ChainLink, 'result' | 'failure'>) => {
    if (result !== 'fail') return '';
    return ` ${paint(`[failed${failure === undefined ? '' : `: ${printable(failure)}`}]`, 'bad', screen)}`;
  };
  const remarks = `${waitOf(link.wait)}${failedOf(link)}`;
  const lines = [`${indent}${depth > 0 ? '└─' : ''}${name} @${formatSpan(link.startUs)}${took}${remarks}`];
  const parts = link.inside
    .filter((part) => insideUs(part, link) >= Math.max(10_000, tookUs / 50))
    .sort((a, b) => b.endUs - b.startUs - (a.endUs - a.startUs))
    .slice(0, PARTS_SHOWN)
    .sort((a, b) => a.startUs - b.startUs);
  for (const part of parts) {
    lines.push(`${indent}    · ${printable(part.name)} +${partTook(part, link)}${waitOf(part.wait)}${failedOf(part)}`);
  }
  if (link.gapUs >= GAP_SHOWN_US)
    lines.push(`${indent}  ${paint(`(${formatSpan(link.gapUs)} before it ${reasonOf(link)})`, 'aside', screen)}`);
  return lines.flatMap((line) => wrapText(line, screen.columns, indent.length + 6));
}

function reasonOf({ startedBy }: ChainLink): string {
  return startedBy === undefined ? 'that no source explains' : printable(triggerEvent(startedBy));
}

/** A wait may begin before a link and end after it: several links then have a part of it. */
function partTook(part: Interval, link: Interval): string {
  const wholeUs = part.endUs - part.startUs;
  const us = insideUs(part, link);
  return us < wholeUs ? `${formatSpan(us)} of ${formatSpan(wholeUs)}` : formatSpan(wholeUs);
}

interface Interval {
  startUs: number;
  endUs: number;
}

/** How much of the part lies in the link; all of it if the link is only an instant. */
function insideUs(part: Interval, link: Interval): number {
  if (link.endUs === link.startUs) return part.endUs - part.startUs;
  return Math.max(0, Math.min(part.endUs, link.endUs) - Math.max(part.startUs, link.startUs));
}
