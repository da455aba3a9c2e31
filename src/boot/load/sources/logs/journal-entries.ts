// boot/load/sources/logs/journal-entries.ts: what happened in each boot, according to its journal entries, in either format?
// Identifies the messages of PID 1 by message id if there is one, not by their English text.
import { formatSpan } from '../../../../base/duration.ts';
import { type Anchor, type Evidence, evidence } from '../../../model/evidence.ts';
import { KUBELET_UNIT } from '../../../model/known-units.ts';
import { isGuestAgentLine } from '../platform/guest-agent-lines.ts';
import type { Problems } from '../problems.ts';
import { managerTimes } from '../systemd/startup-finished.ts';
import type { UnitEvent } from '../systemd/unit-events.ts';
import { BootLog } from './boot-log.ts';
import { Sleeps } from './sleeps.ts';

/** Only these fields are used; a reader may skip all others. */
export const JOURNAL_FIELDS = [
  '__CURSOR',
  '__REALTIME_TIMESTAMP',
  '__MONOTONIC_TIMESTAMP',
  '_SOURCE_REALTIME_TIMESTAMP',
  '_SOURCE_MONOTONIC_TIMESTAMP',
  '_BOOT_ID',
  '_MACHINE_ID',
  '_HOSTNAME',
  '_TRANSPORT',
  '_PID',
  '_SYSTEMD_UNIT',
  'SYSLOG_IDENTIFIER',
  'SYSLOG_PID',
  'MESSAGE',
  'MESSAGE_ID',
  'UNIT',
  'USER_UNIT',
  'INVOCATION_ID',
  'JOB_RESULT',
  'JOB_TYPE',
  'UNIT_RESULT',
  'KERNEL_USEC',
  'INITRD_USEC',
  'USERSPACE_USEC',
] as const;

export type JournalField = (typeof JOURNAL_FIELDS)[number];
export interface JournalEntry {
  /** Line or entry number in the input, for messages. */
  place: number;
  fields: Readonly<Partial<Record<JournalField, string>>>;
}

/** One evidence per boot, oldest first. Adds entries without a time to `problems`. */
export function readJournal(
  entries: Iterable<JournalEntry>,
  from: { kind: Evidence['kind']; input: string; problems: Problems },
): Evidence[] {
  const boots = new Map<string, JournalBoot>();
  for (const entry of entries) {
    const times = timesOf(entry.fields);
    if (!times) {
      from.problems.add('has no __MONOTONIC_TIMESTAMP or __REALTIME_TIMESTAMP; skipped', entry.place);
      continue;
    }
    const bootId = bootIdOf(entry.fields);
    let boot = boots.get(bootId);
    if (!boot) {
      boot = new JournalBoot();
      boots.set(bootId, boot);
    }
    boot.add(entry.fields, times);
  }
  const inOrder = [...boots];
  // `journalctl -r` lists the newest first. Otherwise the order of appearance is more reliable than the wall clock,
  // which may have been wrong in an early boot.
  const backwards = inOrder.reduce((sum, [, boot]) => sum + boot.direction, 0) < 0;
  if (backwards) inOrder.reverse();
  return inOrder.map(([bootId, boot]) => {
    const facts = boot.log.facts();
    return evidence({
      kind: from.kind,
      input: from.input,
      clock: 'monotonic',
      ...(bootId !== '' && { bootId }),
      anchors: boot.anchors(),
      ...facts,
      spans: [...facts.spans, ...boot.sleeps.spans()],
    });
  });
}

interface EntryTimes {
  monotonicUs: number;
  realtimeUs: number;
}

function timesOf(fields: JournalEntry['fields']): EntryTimes | undefined {
  const monotonicUs = microseconds(fields.__MONOTONIC_TIMESTAMP);
  const realtimeUs = microseconds(fields.__REALTIME_TIMESTAMP);
  return monotonicUs === undefined || realtimeUs === undefined ? undefined : { monotonicUs, realtimeUs };
}

function microseconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : undefined;
}

function bootIdOf(fields: JournalEntry['fields']): string {
  const id = (fields._BOOT_ID ?? /;b=([0-9a-f]{32});/.exec(fields.__CURSOR ?? '')?.[1] ?? '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : '';
}

/** journald reads the two clocks a moment apart. */
const ANCHOR_ERROR_US = 1_000;
/** A time service slews the wall clock by at most 500 ppm; a larger change is a clock step or a paused VM. */
const SLEW = 0.0005;
const MAX_ANCHORS = 64;

class JournalBoot {
  readonly log = new BootLog({ clock: 'monotonic', holds: 'journal' });
  readonly sleeps = new Sleeps();
  /** How often the monotonic clock went forward, minus how often it went back. */
  direction = 0;
  readonly #anchors: Anchor[] = [];
  #last: EntryTimes | undefined;

  add(fields: JournalEntry['fields'], times: EntryTimes): void {
    const last = this.#last;
    const offsetMoved = last !== undefined && Math.abs(offsetOf(times) - offsetOf(last)) > slackUs(last, times);
    if (last) this.direction += Math.sign(times.monotonicUs - last.monotonicUs);
    this.#keepAnchor(times, last, offsetMoved);
    if (last && offsetMoved) this.sleeps.addJump(last.monotonicUs, times.monotonicUs, offsetOf(times) - offsetOf(last));
    this.#last = times;

    if (fields._HOSTNAME) this.log.addHostFacts({ hostname: fields._HOSTNAME });
    if (fields._MACHINE_ID) this.log.addHostFacts({ machineId: fields._MACHINE_ID });
    const atUs = eventTime(fields, times, offsetMoved);
    if (MAY_SAY_SLEEP.has(fields.SYSLOG_IDENTIFIER ?? '')) this.sleeps.addLine(atUs, fields.MESSAGE ?? '');
    if (fields.MESSAGE_ID !== undefined && this.#addMessageId(fields, atUs)) return;
    this.log.addLine({
      atUs,
      identifier: writerOf(fields),
      pid: fields._PID ?? fields.SYSLOG_PID,
      message: fields.MESSAGE ?? '',
    });
  }

  anchors(): Anchor[] {
    const kept = this.#anchors;
    const before = kept.at(-1);
    if (!this.#last || !before || this.#last.monotonicUs <= before.monotonicUs) return kept;
    // Days after the boot the clocks have drifted apart without a step, so the last pair is less exact by the drift.
    const { monotonicUs, wallUs } = anchorOf(this.#last);
    const slack = Math.round(slackUs(before, this.#last));
    return [...kept, { monotonicUs, wallUs: wallUs - slack, errorUs: 2 * slack }];
  }

  /** Keeps the first pair, and the pairs before and after every step of the wall clock; `anchors()` adds the last pair. */
  #keepAnchor(times: EntryTimes, last: EntryTimes | undefined, offsetMoved: boolean): void {
    if (!last) this.#anchors.push(anchorOf(times));
    else if (offsetMoved && this.#anchors.length < MAX_ANCHORS) this.#anchors.push(anchorOf(last), anchorOf(times));
  }

  /** True if the message id fully identifies the entry, so that its text need not be parsed. */
  #addMessageId(fields: JournalEntry['fields'], atUs: number): boolean {
    const id = fields.MESSAGE_ID!.toLowerCase();
    if (id === SLEEP_BEGAN) {
      this.sleeps.say(atUs, /hibernat/i.test(fields.MESSAGE ?? ''));
      this.log.note('info', `the machine was suspended at ${formatSpan(atUs)}: the monotonic clock stopped meanwhile`);
      return true;
    }
    if (!isSystemManager(fields)) return false;
    if (id === STARTUP_FINISHED) {
      this.#addStartupFinished(fields, atUs);
      return true;
    }
    const what = UNIT_MESSAGES[id];
    if (what === undefined || !fields.UNIT) return what !== undefined;
    this.log.addUnitEvent(unitEvent(what, fields, atUs));
    return true;
  }

  #addStartupFinished(fields: JournalEntry['fields'], atUs: number): void {
    const userspaceTookUs = microseconds(fields.USERSPACE_USEC);
    if (userspaceTookUs === undefined) return;
    const kernelTookUs = microseconds(fields.KERNEL_USEC);
    const manager =
      kernelTookUs === undefined
        ? inContainer(userspaceTookUs, atUs)
        : managerTimes({ kernelTookUs, initrdTookUs: microseconds(fields.INITRD_USEC) ?? 0, userspaceTookUs });
    this.log.addStartupFinished(manager, manager.finishUs);
  }
}

/** A container has no kernel phase and uses the host's monotonic clock: count back from the message. */
function inContainer(userspaceTookUs: number, atUs: number) {
  const phases = managerTimes({ kernelTookUs: Math.max(0, atUs - userspaceTookUs), initrdTookUs: 0, userspaceTookUs });
  return { ...phases, securityStartUs: 0, securityFinishUs: 0 };
}

const MAY_SAY_SLEEP: ReadonlySet<string> = new Set(['kernel', 'systemd-sleep']);
const STARTUP_FINISHED = 'b07a249cd024414a82dd00cd181378ff';
const SLEEP_BEGAN = '6bbd95ee977941e497c48be27c254128';
const UNIT_MESSAGES: Readonly<Record<string, UnitEvent['what']>> = {
  '7d4958e842da4a758f6c1cdc7b36dcc5': 'began',
  '39f53479d3a045ac8e11786248231fbf': 'done',
  be02cf6855d2428ba40df7e9d022f03d: 'failed',
  d9b373ed55a64feb8242e02dbe79a49c: 'failed',
  de5b426a63be47a7b6ac3eaac82e2f6f: 'stopping',
  '9d1aaa27d60140bd96365438aad20286': 'stopped',
};

function unitEvent(what: UnitEvent['what'], fields: JournalEntry['fields'], atUs: number): UnitEvent {
  const unit = fields.UNIT!;
  // A start job that a condition skipped is "done" too, but has no invocation id.
  if (what === 'done' && fields.INVOCATION_ID === '') return { unit, what: 'skipped', atUs };
  const result = fields.UNIT_RESULT ?? fields.JOB_RESULT;
  return what === 'failed' && result !== undefined ? { unit, what, atUs, result } : { unit, what, atUs };
}

/** User managers send the same message ids. */
function isSystemManager(fields: JournalEntry['fields']): boolean {
  if (fields._PID !== undefined) return fields._PID === '1';
  return (
    fields.USER_UNIT === undefined && (fields._SYSTEMD_UNIT === undefined || fields._SYSTEMD_UNIT === 'init.scope')
  );
}

/** Prefers the kernel's own time, then the sender's wall-clock stamp: journald receives entries with a lag. */
function eventTime(fields: JournalEntry['fields'], times: EntryTimes, offsetMoved: boolean): number {
  const sourceUs = microseconds(fields._SOURCE_MONOTONIC_TIMESTAMP);
  if (sourceUs !== undefined) return sourceUs;
  const sentUs = microseconds(fields._SOURCE_REALTIME_TIMESTAMP);
  if (sentUs === undefined || offsetMoved) return times.monotonicUs;
  const lagUs = times.realtimeUs - sentUs;
  return lagUs > 0 && lagUs < MAX_LAG_US ? times.monotonicUs - lagUs : times.monotonicUs;
}

/** A longer lag means that the clock was set in between, not that the journal was busy. */
const MAX_LAG_US = 10e6;

function writerOf(fields: JournalEntry['fields']): string {
  const unit = fields._SYSTEMD_UNIT ?? '';
  if (unit === KUBELET_UNIT) return 'kubelet';
  if (/^(?:walinuxagent|waagent)\.service$/.test(unit)) return 'waagent';
  const identifier = fields.SYSLOG_IDENTIFIER ?? '';
  if (identifier === 'systemd' && !isFirst(fields)) return 'systemd (user)';
  if (identifier === '' && isGuestAgentLine(fields.MESSAGE ?? '')) return 'waagent';
  return identifier;
}

function isFirst(fields: JournalEntry['fields']): boolean {
  return (fields._PID ?? fields.SYSLOG_PID) === '1';
}

function slackUs(from: { monotonicUs: number }, to: { monotonicUs: number }): number {
  return ANCHOR_ERROR_US + SLEW * Math.abs(to.monotonicUs - from.monotonicUs);
}

const offsetOf = (times: EntryTimes): number => times.realtimeUs - times.monotonicUs;

function anchorOf({ monotonicUs, realtimeUs }: EntryTimes): Anchor {
  return { monotonicUs, wallUs: realtimeUs, errorUs: ANCHOR_ERROR_US };
}
