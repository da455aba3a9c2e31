// boot/compat/systemd/exact/blame.ts: what does `systemd-analyze blame` print, byte for byte?
import { formatSpan } from '../../../../base/duration.ts';
import type { BootRecord } from '../../../model/record.ts';
import type { Behaviour } from '../versions.ts';
import { type JsonForm, jsonRows } from './json-rows.ts';
import { acquireTimes } from './times.ts';
import { type ToolOutput, toolFailure, toolOutput } from './tool-output.ts';

export function compatSystemdBlame(record: BootRecord, behaviour: Behaviour, json?: JsonForm): ToolOutput {
  if (json !== undefined && !behaviour.hasBlameJson) {
    return toolFailure(`systemd-analyze ${behaviour.name} has no blame --json`);
  }
  const acquired = acquireTimes(record, behaviour, !behaviour.blamesUnfinished);
  if ('stopped' in acquired) return acquired.stopped;
  const slowest = acquired.units.filter((unit) => unit.tookUs > 0).sort((a, b) => b.tookUs - a.tookUs);
  if (json !== undefined) {
    return toolOutput(
      jsonRows(
        slowest.map((unit) => ({ time: unit.tookUs, unit: unit.name })),
        json,
      ),
    );
  }
  const rows = slowest.map((unit) => ({ span: formatSpan(unit.tookUs), name: unit.name }));
  let spanWidth = 0;
  let nameWidth = 0;
  for (const { span, name } of rows) {
    spanWidth = Math.max(spanWidth, span.length);
    nameWidth = Math.max(nameWidth, behaviour.padsBlame ? name.length : 0);
  }
  return toolOutput(rows.map(({ span, name }) => `${span.padStart(spanWidth)} ${name.padEnd(nameWidth)}\n`).join(''));
}
