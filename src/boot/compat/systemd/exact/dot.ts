// boot/compat/systemd/exact/dot.ts: what does `systemd-analyze dot` print, byte for byte?
import type { BootRecord } from '../../../model/record.ts';
import { type DotOptions, dotEdges } from '../dot.ts';
import type { Behaviour } from '../versions.ts';
import { type ToolOutput, toolOutput } from './tool-output.ts';

export function compatDot(record: BootRecord, behaviour: Behaviour, options: DotOptions): ToolOutput {
  const lines = dotEdges(record, options)
    .filter(({ kind }) => behaviour.drawsBindsTo || kind !== 'BindsTo')
    .map(({ from, to, color }) => `\t"${from}"->"${to}" [color="${color}"];\n`);
  return toolOutput(`digraph systemd {\n${lines.join('')}}\n`, legend(behaviour));
}

export function legend({ drawsBindsTo }: Pick<Behaviour, 'drawsBindsTo'>): string {
  const indent = ' '.repeat(17);
  return [
    '   Color legend: black     = Requires',
    `${indent}dark blue = Requisite`,
    ...(drawsBindsTo ? [`${indent}gold      = BindsTo`] : []),
    `${indent}dark grey = Wants`,
    `${indent}red       = Conflicts`,
    `${indent}green     = After`,
    '',
  ].join('\n');
}
