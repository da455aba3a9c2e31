// boot/load/sources/boot-record.ts: reads a boot record written by `boot export --format json` or `boot record`.

import { type Evidence, evidence } from '../../model/evidence.ts';
import { type BootRecord, moveUnit } from '../../model/record.ts';
import { decodeText, type Input, inputText } from '../input.ts';
import type { EvidenceSource } from './source.ts';

export const bootRecordSource: EvidenceSource = {
  kind: 'boot-record',
  title: 'a boot record of headstart',
  recognise: (input) =>
    /^\s*\{[\s\S]{0,400}?"kind"\s*:\s*"BootRecord"/.test(decodeText(input.head.subarray(0, 600))) ? 1 : 0,
  parse: readRecord,
};

async function readRecord(input: Input): Promise<Evidence[]> {
  const { problemsOf } = await import('../../model/schema.ts');
  let value: unknown;
  try {
    value = JSON.parse(inputText(input));
  } catch (error) {
    return [unreadable(input, `is not valid JSON: ${(error as Error).message}`)];
  }
  const problems = problemsOf(value);
  if (problems) return [unreadable(input, `does not match the schema: ${problems.slice(0, 5).join('; ')}`)];
  const record = value as BootRecord;
  const { bootId, host, clock, manager, units, spans, milestones, notes } = record;
  if (clock.zero === 'claim')
    return [evidence({ kind: 'boot-record', input: input.name, clock: 'wall', finished: record })];
  const anchored = clock.zero === 'kernel' && clock.wallAtZeroUs !== undefined;
  const errorUs = clock.errorUs ?? 0;
  const onWallUs = clock.zero === 'first-event' ? (clock.wallAtZeroUs ?? 0) : 0;
  const shift = (us: number) => us + onWallUs;
  return [
    evidence({
      kind: 'boot-record',
      input: input.name,
      clock: clock.zero === 'kernel' ? 'monotonic' : clock.zero === 'userspace' ? 'userspace' : 'wall',
      ...(bootId !== undefined && { bootId }),
      anchors: anchored ? [{ monotonicUs: 0, wallUs: clock.wallAtZeroUs! - errorUs, errorUs: 2 * errorUs }] : [],
      host,
      ...(manager && { manager }),
      units: units.map((unit) => moveUnit(unit, shift)),
      spans: spans.map((span) => ({ ...span, startUs: shift(span.startUs), endUs: shift(span.endUs) })),
      milestones: milestones.map((milestone) => ({ ...milestone, atUs: shift(milestone.atUs) })),
      notes,
    }),
  ];
}

function unreadable(input: Input, why: string): Evidence {
  return evidence({
    kind: 'boot-record',
    input: input.name,
    clock: 'monotonic',
    notes: [{ level: 'warning', text: `${input.name}: this boot record ${why}` }],
  });
}
