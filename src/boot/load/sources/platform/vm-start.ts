// boot/load/sources/platform/vm-start.ts: when did the host start the VM, and when did the guest report to the platform? Converts host times to
// the guest's clock by one comparison of the two clocks.
import { formatSpan } from '../../../../base/duration.ts';
import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';
import type { EvidenceSource } from '../source.ts';
import { type ClockComparison, type GuestClock, guestClockFrom, isTimeMs, parseClockComparison } from './two-clocks.ts';

/** `headstart/vm.json` of a bundle; all times in ms since 1970. */
export interface VmStart {
  apiVersion: 'headstart.dev/v1';
  kind: 'VmStart';
  vmId: string;
  /** The guest's boot when its clock was read. */
  bootId?: string;
  /** On the host's clock. */
  startedMs: number;
  clock: ClockComparison;
  /** The guest's reports to the wire server, on the host's clock. */
  health: { atMs: number; state: string; subStatus?: string; description?: string }[];
}

export const vmStartSource = {
  kind: 'vm-start',
  title: 'the start of a VM (headstart/vm.json)',
  recognise: (input) => (/^\s*\{[\s\S]{0,200}?"kind"\s*:\s*"VmStart"/.test(headText(input)) ? 1 : 0),
  parse,
} satisfies EvidenceSource;

const MAX_BYTES = 4 << 20;

function parse(input: Input): Evidence[] {
  const { text, isCut } = boundedText(input, MAX_BYTES);
  const start = isCut ? undefined : readVmStart(text);
  if (!start)
    return [
      vmStartEvidence(input, {}, [], [warning(input, 'this VM start record is incomplete or has an unknown format')]),
    ];
  const { vmId, bootId, clock } = start;
  const facts = {
    host: { vmId: vmId.toLowerCase() },
    ...(bootId !== undefined && { bootId }),
  };
  const clocks = guestClockFrom(clock);
  if (!clocks) {
    return [
      vmStartEvidence(
        input,
        facts,
        [],
        [warning(input, "the host's clock was set back while the guest's clock was read: its times are ignored")],
      ),
    ];
  }
  const { milestones, notes } = eventsOf(start, clocks, input);
  return [vmStartEvidence(input, facts, milestones, notes)];
}

/** Firmware and boot loader take seconds; a kernel that started this much later is from a later restart. */
const RESTARTED_MS = 5 * 60_000;

function eventsOf(
  start: VmStart,
  { onGuestMs: onGuest, errorUs, kernelStartMs }: GuestClock,
  input: Input,
): { milestones: Milestone[]; notes: Note[] } {
  const { clock, startedMs, health } = start;
  const at = (hostMs: number) => ({ atUs: Math.round(onGuest(hostMs) * 1000), errorUs, source: 'platform' as const });
  const milestones: Milestone[] = [];
  const notes: Note[] = [];
  if (startedMs > clock.hostAfterMs) {
    notes.push(warning(input, 'the VM was started after this boot: its creation time is ignored'));
  } else if (kernelStartMs !== undefined && kernelStartMs - onGuest(startedMs) > RESTARTED_MS) {
    const laterText = formatSpan(Math.round((kernelStartMs - onGuest(startedMs)) / 1000) * 1e6);
    const text = `${input.name}: this boot began ${laterText} after its VM was started: the guest has restarted since, so the VM's creation time is ignored`;
    notes.push({ level: 'info', text });
  } else {
    milestones.push({ name: 'vm-created', ...at(startedMs), detail: "its process was started, on the host's clock" });
  }
  const sinceMs = kernelStartMs === undefined ? onGuest(startedMs) : kernelStartMs - errorUs / 1000;
  const reports = health.filter(({ atMs }) => onGuest(atMs) + errorUs / 1000 >= sinceMs);
  const ready = reports.find(({ state }) => state === 'Ready');
  if (ready)
    milestones.push({
      name: 'platform-ready',
      ...at(ready.atMs),
      detail: 'the guest reported Ready to the wire server',
    });
  for (const { state, subStatus, description } of reports) {
    if (state === 'Ready') continue;
    const why = [subStatus, description].filter(Boolean).join(': ').slice(0, 500);
    notes.push(warning(input, `the guest reported ${state.slice(0, 40)} to the wire server${why && `: ${why}`}`));
  }
  return { milestones, notes };
}

function vmStartEvidence(input: Input, facts: Partial<Evidence>, milestones: Milestone[], notes: Note[]): Evidence {
  return evidence({ kind: 'vm-start', input: input.name, clock: 'wall', ...facts, milestones, notes });
}

function warning(input: Input, text: string): Note {
  return { level: 'warning', text: `${input.name}: ${text}` };
}

/** Undefined unless every field is valid. */
function readVmStart(text: string): VmStart | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { apiVersion, kind, vmId, bootId, startedMs, clock, health } = asObject(value);
  if (apiVersion !== 'headstart.dev/v1' || kind !== 'VmStart' || typeof vmId !== 'string' || !isTimeMs(startedMs))
    return undefined;
  if (bootId !== undefined && (typeof bootId !== 'string' || !/^[0-9a-f]{32}$/.test(bootId))) return undefined;
  const reading = parseClockComparison(clock);
  if (!reading) return undefined;
  return {
    apiVersion,
    kind,
    vmId,
    ...(bootId !== undefined && { bootId }),
    startedMs,
    clock: reading,
    health: Array.isArray(health) ? health.flatMap(reportOf) : [],
  };
}

function reportOf(value: unknown): VmStart['health'] {
  const { atMs, state, subStatus, description } = asObject(value);
  if (!isTimeMs(atMs) || typeof state !== 'string') return [];
  return [
    {
      atMs,
      state,
      ...(typeof subStatus === 'string' && { subStatus }),
      ...(typeof description === 'string' && { description }),
    },
  ];
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
