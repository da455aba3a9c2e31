// cli/boot/render-use.ts: renders what a unit used while it started: `at most 400ms CPU: mostly waiting`.
import { formatSpan } from '../../base/duration.ts';
import type { UnitUse } from '../../boot/questions/unit-use.ts';

const VERDICTS = { waiting: ': mostly waiting', 'cpu-bound': ': CPU-bound' } as const;
/** Less says nothing about a start. */
const SHOWN_BYTES = 1_000_000;

/** Empty if nothing was measured, or if it only says that a unit that still runs has used CPU since its start. */
export function renderUse(use: UnitUse | undefined, tookUs: number): string {
  if (!use) return '';
  const { cpuUs, readBytes, writtenBytes, isStartOnly, verdict } = use;
  const isKnown = cpuUs !== undefined && (isStartOnly || cpuUs < tookUs);
  const parts = [
    ...(isKnown ? [`${formatSpan(Math.round(cpuUs / 1000) * 1000)} CPU`] : []),
    ...(readBytes !== undefined && readBytes >= SHOWN_BYTES ? [`${megabytes(readBytes)} read`] : []),
    ...(writtenBytes !== undefined && writtenBytes >= SHOWN_BYTES ? [`${megabytes(writtenBytes)} written`] : []),
  ];
  if (parts.length === 0) return '';
  return `${isStartOnly ? '' : 'at most '}${parts.join(', ')}${verdict ? VERDICTS[verdict] : ''}`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
