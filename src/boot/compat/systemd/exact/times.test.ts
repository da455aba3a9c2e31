import { expect, test } from 'vitest';
import { boot, unit } from '../testing.ts';
import { behaviourOf } from '../versions.ts';
import { analyze, NEWEST, V252 } from './testing.ts';
import { acquireBootTimes, acquireTimes } from './times.ts';

const V261 = behaviourOf(261);

test('edge case 33: a soft reboot counts from the shutdown before it and omits earlier units', () => {
  const soft = { softRebootsCount: 2, shutdownStartUs: 100e6, userspaceUs: 103e6, finishUs: 110e6, initrdUs: 1e6 };
  const record = boot(
    [
      unit('multi-user.target', 108, 108),
      unit('old.service', 5, 6),
      unit('new.service', 104, 106, { deactivatedUs: 50e6 }),
    ],
    soft,
  );
  expect(analyze(record, ['time'], V261).stdout).toBe(
    'Startup finished in 3s (soft reboot #2) + 7s (userspace) \nmulti-user.target reached after 5s in userspace.\n',
  );
  expect(analyze(record, ['blame'], V261).stdout).toBe('2s new.service\n');
});

test('the stamp of the shutdown before a soft reboot is ShutdownStart up to v261, PreviousShutdownStart since v262', () => {
  const previousShutdown = { startUs: 100e6, finishUs: 0, lateStartUs: 0, lateFinishUs: 0 };
  const soft = { softRebootsCount: 2, shutdownStartUs: 98e6, userspaceUs: 103e6, finishUs: 110e6, previousShutdown };
  const record = boot([unit('multi-user.target', 108, 108), unit('between.service', 99, 104)], soft);
  const answer = (version: number, verb: string) => analyze(record, [verb], behaviourOf(version)).stdout;
  expect(answer(261, 'time')).toContain('finished in 5s (soft reboot #2) + 7s (userspace)');
  expect(answer(262, 'time')).toContain('finished in 3s (soft reboot #2) + 7s (userspace)');
  expect([answer(261, 'blame'), answer(262, 'blame')]).toEqual(['5s between.service\n', '']);
});

test('from v256 to v261, a shutdown under way hides the units before it; since v262 only a soft reboot does', () => {
  const record = boot([unit('a.service', 3, 5), unit('b.service', 50, 52)], { shutdownStartUs: 40e6 });
  const blamed = [255, 256, 261, 262].map((version) => analyze(record, ['blame'], behaviourOf(version)).stdout);
  const both = '2s a.service\n2s b.service\n';
  expect(blamed).toEqual([both, '2s b.service\n', '2s b.service\n', both]);
});

test('edge case 34: an unfinished boot gives a three-line error, except for blame from v254 on', () => {
  const record = boot([unit('a.service', 3, 5)], { finishUs: 0 });
  for (const verb of ['time', 'blame', 'critical-chain', 'plot']) {
    const answer = analyze(record, [verb]);
    expect(answer).toMatchObject({ stdout: '', exitCode: 1 });
    expect(answer.stderr.split('\n')).toHaveLength(4);
  }
  expect(analyze(record, ['blame'], NEWEST)).toEqual({ stdout: '2s a.service\n', stderr: '', exitCode: 0 });
});

const CONTAINER = { securityStartUs: 0, securityFinishUs: 0, userspaceUs: 3e6 };

test('the stamps of a container count from its own start', () => {
  const acquired = acquireTimes(boot([unit('a.service', 4, 6)], CONTAINER), V252);
  if ('stopped' in acquired) throw new Error(acquired.stopped.stderr);
  expect(acquired.boot).toMatchObject({ userspaceUs: 0, finishUs: 57e6, offsetUs: 3e6, kernelDoneUs: 0 });
  expect(acquired.units).toMatchObject([{ activatingUs: 1e6, activatedUs: 3e6, tookUs: 2e6 }]);
});

test('a stamp before the start of a container stops the tool', () => {
  const acquired = acquireTimes(boot([unit('a.service', 1, 6)], CONTAINER), V252);
  expect(acquired).toMatchObject({ stopped: { exitCode: 1, stderr: expect.stringContaining('Assertion') } });
  const manager = acquireBootTimes(boot([], { ...CONTAINER, generatorsStartUs: 1e6 }), V252, true);
  expect(manager).toHaveProperty('stopped');
});

test('omits units that never started, and counts a failed unit until it failed', () => {
  const failed = unit('failed.service', 4, 0, { deactivatedUs: 9e6 });
  const acquired = acquireTimes(boot([unit('never.service', 0, 0), failed, unit('starting.service', 5, 0)]), V252);
  expect('units' in acquired && acquired.units.map(({ name, tookUs }) => [name, tookUs])).toEqual([
    ['failed.service', 5e6],
    ['starting.service', 0],
  ]);
});

test('fails for an input without a manager', () => {
  const { manager: _, ...bare } = boot([]);
  expect(acquireBootTimes(bare, V252, true)).toMatchObject({
    stopped: { stderr: expect.stringContaining('no manager in the given input') },
  });
});

test('the kernel phase ends where the initrd starts, if there is one', () => {
  const done = (initrdUs: number) => {
    const acquired = acquireBootTimes(boot([], { initrdUs }), NEWEST, true);
    return 'boot' in acquired && acquired.boot.kernelDoneUs;
  };
  expect([done(1e6), done(0)]).toEqual([1e6, 2e6]);
});

test('ignores the end of an earlier run before a soft reboot', () => {
  const soft = { softRebootsCount: 1, shutdownStartUs: 100e6, userspaceUs: 103e6, finishUs: 110e6 };
  const restarted = unit('a.service', 104, 106, { deactivatingUs: 49e6, deactivatedUs: 50e6 });
  const acquired = acquireTimes(boot([restarted], soft), V261);
  expect('units' in acquired && acquired.units).toMatchObject([
    { activatingUs: 4e6, deactivatingUs: 0, deactivatedUs: 0 },
  ]);
});
