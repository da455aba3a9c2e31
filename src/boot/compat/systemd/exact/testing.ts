// boot/compat/systemd/exact/testing.ts: runs a verb with the arguments of systemd-analyze, to replay recorded command lines.
import { parseSpan } from '../../../../base/duration.ts';
import type { BootRecord } from '../../../model/record.ts';
import { behaviourOf, newestBehaviour } from '../versions.ts';
import { compatSystemdBlame } from './blame.ts';
import { compatCriticalChain } from './critical-chain.ts';
import { compatDot } from './dot.ts';
import type { JsonForm } from './json-rows.ts';
import { compatPlot } from './plot.ts';
import { compatTime } from './time.ts';
import type { ToolOutput } from './tool-output.ts';

export const V252 = behaviourOf(252);
export const NEWEST = newestBehaviour();
export const SVG = { format: 'svg', hasLegend: true, scale: 1, isDetailed: false } as const;

export function analyze(record: BootRecord, [verb, ...rest]: string[], behaviour = V252): ToolOutput {
  const values = (name: string) =>
    rest.filter((arg) => arg.startsWith(`--${name}=`)).map((arg) => arg.slice(name.length + 3));
  const positional = rest.filter((arg) => !arg.startsWith('--'));
  const fuzzUs = parseSpan(values('fuzz')[0] ?? '0')!;
  if (verb === 'time') return compatTime(record, behaviour);
  if (verb === 'blame') return compatSystemdBlame(record, behaviour, values('json')[0] as JsonForm | undefined);
  if (verb === 'plot') return compatPlot(record, behaviour, SVG);
  if (verb === 'critical-chain') {
    return compatCriticalChain(record, behaviour, { targets: positional, fuzzUs, isColoured: false });
  }
  return compatDot(record, behaviour, {
    edges: rest.includes('--order') ? 'order' : rest.includes('--require') ? 'require' : 'all',
    patterns: positional,
    fromPatterns: values('from-pattern'),
    toPatterns: values('to-pattern'),
  });
}
