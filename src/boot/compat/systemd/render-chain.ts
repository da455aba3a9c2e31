// boot/compat/systemd/render-chain.ts: prints a critical chain as a tree.
import { formatSpan } from '../../../base/duration.ts';
import { phases, userspaceStartUs } from '../../model/phases.ts';
import { type BootRecord, startTookUs } from '../../model/record.ts';
import { type ChainNode, doneUs } from './critical-chain.ts';
import { unitLabels } from './unit-state.ts';

export const CRITICAL_CHAIN_HEADER =
  'The time when unit became active or started is printed after the "@" character.\n' +
  'The time the unit took to start is printed after the "+" character.\n\n';

/** `paint` prepares a line for the terminal: adds colours and removes control characters. */
export function renderCriticalChain(
  nodes: readonly ChainNode[],
  record: BootRecord,
  paint: (text: string, isTimed: boolean) => string,
): string {
  const describe = describer(record);
  const lines: string[] = [];
  /** The prefix of lines below each level: `│ ` while a sibling follows. */
  const indents: string[] = [''];
  for (const node of nodes) {
    const { text, isTimed } = describe(node);
    const shown = paint(text, isTimed);
    if (node.depth === 0) {
      lines.push(shown);
      continue;
    }
    const indent = indents[node.depth - 1]!;
    const below = `${indent}${node.isLast ? '  ' : '│ '}`;
    indents[node.depth] = below;
    lines.push(`${indent}${node.isLast ? '└─' : '├─'}${shown}`);
    if (node.isRepeat) lines.push(`${below}└─...`);
  }
  return `${lines.join('\n')}\n`;
}

/** Times count from the start of userspace; earlier times are negative and labelled with their phase. */
function describer(record: BootRecord): (node: ChainNode) => { text: string; isTimed: boolean } {
  const baseUs = userspaceStartUs(record);
  const earlier = phases(record).filter((phase) => phase.name !== 'userspace');
  return ({ name, unit }) => {
    if (!unit) return { text: `${name} [unknown in this boot]`, isTimed: false };
    const tookUs = unit.activatingUs > 0 ? startTookUs(unit) : 0;
    const atUs = unit.activatingUs > 0 ? unit.activatingUs : doneUs(unit);
    const phase = earlier.find(({ startUs, endUs }) => atUs > 0 && atUs >= startUs && atUs < endUs);
    const at = atUs === 0 ? '' : ` @${formatSpan(atUs - baseUs)}`;
    const took = tookUs > 0 ? ` +${formatSpan(tookUs)}` : '';
    const labels = [...(phase ? [`in ${phase.name}`] : []), ...unitLabels(unit, record)];
    return { text: `${name}${at}${took}${labels.map((label) => ` [${label}]`).join('')}`, isTimed: tookUs > 0 };
  };
}
