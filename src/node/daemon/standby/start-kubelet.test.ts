import { describe, expect, it } from 'vitest';
import type { Argv, CommandResult } from '../../../base/command.ts';
import { fakeClock } from '../../../base/fake-clock.ts';
import { recordSteps } from '../../status/steps-file.ts';
import { joinFromStandby } from './start-kubelet.ts';

function world(codes: number[]) {
  const clock = fakeClock();
  const started = clock.nowMs();
  const steps = recordSteps({ monotonicUs: () => 60_000_000 + (clock.nowMs() - started) * 1000, wallUs: () => 0 });
  const logged: string[] = [];
  const ran: Argv[] = [];
  const run = async (argv: Argv): Promise<CommandResult> => {
    ran.push(argv);
    return { outcome: 'exited', code: codes.shift() ?? 0, stdout: Buffer.alloc(0), stderr: 'busy' };
  };
  const log = (priority: string, message: string) => void logged.push(`${priority} ${message}`);
  const deps = { run, clock, steadyMs: clock.nowMs, steps, log, signal: new AbortController().signal };
  return { deps, logged, ran, steps, nowMs: started };
}

describe('joining from standby', () => {
  it('starts kubelet, whose condition did not hold during the boot, without waiting for it, and says how long it took', async () => {
    const { deps, ran, logged, steps, nowMs } = world([]);
    await joinFromStandby({ sinceMs: nowMs - 30_000, left: { atMs: nowMs - 250, by: 'metadata' } }, deps);
    expect(ran).toEqual([['systemctl', 'start', '--no-block', 'headstart-node-ready.target', 'kubelet.service']]);
    expect(logged).toEqual([
      'info left standby after 29.75 s: the metadata said so',
      'info started kubelet 0.25 s after the instance left standby',
    ]);
    expect(steps.steps().steps).toMatchObject([
      { name: 'standby', startUs: 30_000_000, tookUs: 29_750_000, detail: 'metadata' },
      { name: 'join', startUs: 59_750_000, tookUs: 250_000 },
    ]);
  });

  it('has a step that begins with the boot if standby began before it', async () => {
    const { deps, steps, nowMs } = world([]);
    await joinFromStandby({ sinceMs: nowMs - 3_600_000, left: { atMs: nowMs, by: 'order' } }, deps);
    expect(steps.steps().steps[0]).toMatchObject({ name: 'standby', startUs: 0, tookUs: 60_000_000, detail: 'order' });
  });

  it('tries again when systemd refuses', async () => {
    const { deps, ran, logged, nowMs } = world([1, 1]);
    await joinFromStandby({ sinceMs: nowMs, left: { atMs: nowMs, by: 'silence' } }, deps);
    expect(ran).toHaveLength(3);
    expect(logged.filter((line) => line.startsWith('error'))).toHaveLength(2);
    expect(logged.at(-1)).toContain('started kubelet 2.00 s after');
  });
});
