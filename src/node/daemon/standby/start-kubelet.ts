// node/daemon/standby/start-kubelet.ts: how does kubelet start on an instance that left standby? systemd has skipped it during
// the boot, because its condition did not hold, so it is started by hand; and how long did that take?
import type { Clock } from '../../../base/clock.ts';
import type { RunCommand } from '../../../base/command.ts';
import type { Log } from '../../status/log.ts';
import type { StepRecorder } from '../../status/steps-file.ts';
import type { NodeStandby } from '../state.ts';

export interface JoinDeps {
  run: RunCommand;
  clock: Clock;
  /** The clock of the state. */
  steadyMs(): number;
  steps: StepRecorder;
  log: Log;
  /** Ends the retries. */
  signal: AbortSignal;
}

const UNITS = ['headstart-node-ready.target', 'kubelet.service'];
const RETRY_MS = 1000;
const CLAIMED_BY: Readonly<Record<NonNullable<NodeStandby['left']>['by'], string>> = {
  metadata: 'the metadata said so',
  silence: 'the metadata stayed silent after the instance was started or resumed',
  order: 'an operator ordered it',
};

export async function joinFromStandby(
  { sinceMs, left }: Pick<NodeStandby, 'sinceMs' | 'left'>,
  { run, clock, steadyMs, steps, log, signal }: JoinDeps,
): Promise<void> {
  const leftMs = left?.atMs ?? steadyMs();
  const by = left?.by ?? 'metadata';
  const atUs = (ms: number) => Math.max(0, Math.round(steps.nowUs() - (steadyMs() - ms) * 1000));
  const leftUs = atUs(leftMs);
  steps.add({ name: 'standby', startUs: atUs(sinceMs), tookUs: leftUs - atUs(sinceMs), isOk: true, detail: by });
  log('info', `left standby after ${seconds(leftMs - sinceMs)} s: ${CLAIMED_BY[by]}`, { by });
  while (!signal.aborted) {
    const ran = await run(['systemctl', 'start', '--no-block', ...UNITS]);
    if (ran.outcome === 'missing') return; // no systemd: a folder in a test
    if (ran.code === 0) break;
    log('error', `could not start kubelet: ${ran.stderr.trim().slice(0, 200)}`);
    await clock.sleep(RETRY_MS, signal).catch(() => {});
  }
  if (signal.aborted) return;
  steps.since('join', leftUs);
  log('info', `started kubelet ${seconds(steadyMs() - leftMs)} s after the instance left standby`);
}

function seconds(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(2);
}
