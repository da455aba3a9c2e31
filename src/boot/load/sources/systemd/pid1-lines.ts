// boot/load/sources/systemd/pid1-lines.ts: which unit does a line of PID 1 mention? For text without message ids: dmesg, pasted
// journals, and lines that PID 1 printed before the journal ran. With a message id, journal-entries.ts uses that instead.
import type { UnitEvent } from './unit-events.ts';

/** `nameless`: a job message without a unit name. systemd before 249 prints only descriptions. */
export type Pid1Line = Omit<UnitEvent, 'atUs'> | 'nameless';

export function parsePid1Line(message: string): Pid1Line | undefined {
  const skipped = SKIPPED.exec(message);
  if (skipped) return { unit: skipped[1]!, what: 'skipped' };
  const failed = FAILED_JOB.exec(message);
  if (failed) return { unit: failed[1]!, what: 'failed', result: failed[2] ?? 'timeout' };
  const job = JOB.exec(message);
  if (!job) return undefined;
  const what = JOBS[job[1]!]!;
  const unit = UNIT_NAME.exec(job[2]!)?.[1];
  if (unit === undefined) return 'nameless';
  return what === 'failed' ? { unit, what, result: RESULTS[job[1]!] ?? 'failed' } : { unit, what };
}

const JOBS: Readonly<Record<string, UnitEvent['what']>> = {
  Starting: 'began',
  Mounting: 'began',
  'Activating swap': 'began',
  'Expecting device': 'began',
  Started: 'done',
  Finished: 'done',
  Mounted: 'done',
  'Reached target': 'done',
  'Listening on': 'done',
  'Created slice': 'done',
  'Set up automount': 'done',
  'Found device': 'done',
  'Activated swap': 'done',
  'Failed to start': 'failed',
  'Failed to mount': 'failed',
  'Failed to activate swap': 'failed',
  'Failed to listen on': 'failed',
  'Dependency failed for': 'failed',
  'Timed out waiting for device': 'failed',
  'Timed out starting': 'failed',
  'Timed out mounting': 'failed',
  Stopping: 'stopping',
  Unmounting: 'stopping',
  'Deactivating swap': 'stopping',
  Stopped: 'stopped',
  'Stopped target': 'stopped',
  Unmounted: 'stopped',
  'Deactivated swap': 'stopped',
};

const RESULTS: Readonly<Record<string, string>> = {
  'Dependency failed for': 'dependency',
  'Timed out waiting for device': 'timeout',
  'Timed out starting': 'timeout',
  'Timed out mounting': 'timeout',
};

const byLength = (a: string, b: string) => b.length - a.length;
const JOB = new RegExp(`^(${Object.keys(JOBS).sort(byLength).join('|')}) (.+)`);
const NAME = String.raw`[\w:.\\@-]{1,255}\.(?:service|socket|target|device|mount|automount|swap|timer|path|slice|scope)`;
const UNIT_NAME = new RegExp(String.raw`^(${NAME})(?: - |\.*$)`);
/** Names the unit in every version: `Job dev-sdb.device/start timed out.`, `a.mount: Job a.mount/start failed with result 'dependency'.` */
const FAILED_JOB = new RegExp(
  String.raw`^(?:${NAME}: )?Job (${NAME})/start (?:timed out|failed with result '(timeout|dependency|failed)')\.?$`,
);
const SKIPPED = new RegExp(`^(${NAME}) - .* was skipped because `);
