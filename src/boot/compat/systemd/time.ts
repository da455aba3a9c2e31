// boot/compat/systemd/time.ts: how long did the boot take, phase by phase, and when was the default target reached?
import { formatSpan } from '../../../base/duration.ts';
import { defaultTarget, namedUnit } from '../../model/default-target.ts';
import { knownUserspaceUs } from '../../model/order-graph.ts';
import { type BootPhase, phases, sharesHostKernel, userspaceStartUs } from '../../model/phases.ts';
import { type BootRecord, startTookUs } from '../../model/record.ts';
import { waitReason } from '../../model/waits.ts';
import { isAfterBoot } from './unit-state.ts';

export interface SystemdTime {
  isFinished: boolean;
  isContainer: boolean;
  phases: (BootPhase & { tookUs: number })[];
  /** From the first phase to the end of the last one. */
  totalUs: number;
  /** `reachedUs` counts from the start of userspace, or from `zero` of the record's clock where that is unknown. */
  defaultTarget?: { unit: string; reachedUs?: number; isSinceUserspace?: boolean };
  /** Time in which units waited for something outside the node. The waits may overlap. */
  waits: { unit: string; reason: string; tookUs: number }[];
  notes: string[];
}

/** Undefined if no input has a phase or a reached target. */
export function bootTime(record: BootRecord): SystemdTime | undefined {
  const found = phases(record).map((phase) => ({ ...phase, tookUs: phase.endUs - phase.startUs }));
  const target = defaultTarget(record);
  if (found.length === 0 && (target === undefined || !namedUnit(record, target)?.activatedUs)) return undefined;
  const isFinished = (record.manager?.finishUs ?? 0) > 0;
  return {
    isFinished,
    isContainer: sharesHostKernel(record),
    phases: found,
    totalUs: found.length === 0 ? 0 : found.at(-1)!.endUs - found[0]!.startUs,
    ...(target !== undefined && { defaultTarget: { unit: target, ...reached(record, target) } }),
    waits: waitsOf(record),
    notes: notesOf(record, isFinished),
  };
}

function reached(record: BootRecord, target: string): { reachedUs?: number; isSinceUserspace?: boolean } {
  const activatedUs = namedUnit(record, target)?.activatedUs ?? 0;
  if (activatedUs === 0) return {};
  const isSinceUserspace = knownUserspaceUs(record) !== undefined;
  return { reachedUs: activatedUs - userspaceStartUs(record), isSinceUserspace };
}

/** Shorter waits are not printed. */
const WAIT_SHOWN_US = 100_000;

function waitsOf(record: BootRecord): SystemdTime['waits'] {
  const waits = record.units
    .filter((unit) => !isAfterBoot(unit, record))
    .flatMap((unit) => {
      const reason = waitReason(unit, record);
      return reason === undefined ? [] : [{ unit: unit.name, reason, tookUs: startTookUs(unit) }];
    });
  return waits
    .filter((wait) => wait.tookUs >= WAIT_SHOWN_US)
    .sort((a, b) => b.tookUs - a.tookUs || (a.unit < b.unit ? -1 : 1));
}

/** Firmware of a virtual machine takes seconds; a larger value may count from the start of the host. */
const ABSURD_FIRMWARE_US = 300e6;

function notesOf(record: BootRecord, isFinished: boolean): string[] {
  const notes: string[] = [];
  const { manager, host } = record;
  if (!manager) notes.push('no input has the boot phases: also pass the output of `systemctl show` without arguments');
  else if (!isFinished)
    notes.push('the boot had not finished when this was recorded: userspace counts up to the last unit seen');
  const firmwareUs = manager ? manager.firmwareUs - manager.loaderUs : 0;
  if (firmwareUs > ABSURD_FIRMWARE_US && host.virtualization) {
    notes.push(
      `firmware reports ${formatSpan(firmwareUs)} on a virtual machine (${host.virtualization}): its counter did not start with this boot`,
    );
  }
  return notes;
}

export function renderTime(time: SystemdTime): string {
  const lines: string[] = [];
  const parts = time.phases.map((phase) => `${formatSpan(phase.tookUs)} (${phase.name})`);
  if (parts.length > 0) {
    const total = parts.length > 1 ? ` = ${formatSpan(time.totalUs)}` : '';
    lines.push(
      `${time.isFinished ? 'Startup finished in' : 'Startup has not finished, so far'} ${parts.join(' + ')}${total}`,
    );
  }
  if (time.defaultTarget) {
    const { unit, reachedUs: atUs, isSinceUserspace } = time.defaultTarget;
    const counted = isSinceUserspace ? 'in userspace' : '(the start of userspace is unknown)';
    lines.push(
      atUs === undefined ? `${unit} was never reached.` : `${unit} reached after ${formatSpan(atUs)} ${counted}.`,
    );
  }
  for (const { unit, reason, tookUs } of time.waits)
    lines.push(`including ${formatSpan(tookUs)} of waiting in ${unit} [wait: ${reason}]`);
  return `${[...lines, ...time.notes.map((note) => `note: ${note}`)].join('\n')}\n`;
}
