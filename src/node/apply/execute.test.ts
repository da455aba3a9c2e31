import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../base/command.ts';
import type { PlanStep } from '../desired/tree.ts';
import { aWorld, doneBy, restart, set } from './execute.testing.ts';
import { execute } from './execute.ts';

describe('execute', () => {
  it.each<[string, PlanStep[], string[]]>([
    [
      'loads modules with one command',
      [set('module', 'a', 'loaded'), set('module', 'b', 'loaded')],
      ['modprobe --all -- a b'],
    ],
    ['reloads the units', [{ do: 'daemon-reload' }], ['systemctl daemon-reload']],
    ['updates the trust store', [{ do: 'update-trust' }], ['update-ca-certificates']],
    [
      'applies tmpfiles',
      [{ do: 'apply-tmpfiles', path: '/etc/tmpfiles.d/a' }],
      ['systemd-tmpfiles --create -- /etc/tmpfiles.d/a'],
    ],
    [
      'enables units with one command',
      [set('unit-enabled', 'a', 'yes'), set('unit-enabled', 'b', 'yes')],
      ['systemctl reenable -- a b'],
    ],
    ['disables a unit', [set('unit-enabled', 'a', 'no')], ['systemctl disable -- a']],
    [
      'starts units',
      [set('unit-active', 'a', 'yes'), { do: 'start-unit', unit: 'b' }],
      ['systemctl start -- a', 'systemctl start -- b'],
    ],
    ['stops a unit', [set('unit-active', 'a', 'no')], ['systemctl stop -- a']],
    ['reloads a unit', [{ do: 'reload-unit', unit: 'ssh' }], ['systemctl try-reload-or-restart -- ssh']],
    ['restarts units with one command', [restart('a'), restart('b')], ['systemctl restart -- a b']],
    [
      'removes files and folders',
      [
        { do: 'remove-file', path: '/etc/a' },
        { do: 'remove-state', path: '/var/b' },
        { do: 'remove-folder', path: '/etc/c' },
      ],
      ['remove /etc/a', 'remove /var/b', 'removeFolder /etc/c'],
    ],
    ['drains and uncordons', [{ do: 'drain' }, { do: 'uncordon' }], ['drain', 'uncordon']],
  ])('%s', async (_what, steps, expected) => {
    expect(await doneBy(steps)).toEqual(expected);
  });

  it('renames staged files and skips files that are up to date', async () => {
    const file = { content: 'x', encoding: 'utf8', mode: 0o644, uid: 0, gid: 0 } as const;
    const steps: PlanStep[] = [
      { do: 'make-folder', path: '/etc/a' },
      { do: 'write-file', path: '/etc/a/b', ...file },
      { do: 'write-file', path: '/etc/a/c', ...file },
    ];
    expect(await doneBy(steps, { staged: new Map([['/etc/a/b', '/etc/a/.new']]) })).toEqual([
      'rename /etc/a/.new /etc/a/b',
    ]);
  });

  it('does not wait for units before kubelet runs, because they may wait for the daemon', async () => {
    const steps = [restart('containerd.service'), set('unit-active', 'a', 'yes'), set('unit-enabled', 'a', 'yes')];
    expect(await doneBy(steps, { isBeforeKubelet: true })).toEqual([
      'systemctl --no-block restart -- containerd.service',
      'systemctl --no-block start -- a',
      'systemctl reenable -- a',
    ]);
  });

  it('restarts only units that have started in a later boot, and does not drain', async () => {
    expect(await doneBy([{ do: 'drain' }, restart('a')], { isLaterBoot: true })).toEqual([
      'systemctl try-restart -- a',
    ]);
  });

  it('times batches under stable names', async () => {
    const { done, context } = aWorld();
    await execute(
      [
        { do: 'make-folder', path: '/a' },
        { do: 'remove-file', path: '/b' },
        { do: 'daemon-reload' },
        restart('a'),
        restart('b'),
      ],
      context,
    );
    expect(done.filter((line) => line.startsWith('#'))).toEqual(['# write-files', '# daemon-reload', '# restart a b']);
  });
});

describe('a step that fails', () => {
  it.each<[string, PlanStep, string, Partial<CommandResult>, string]>([
    ['a unit', restart('a'), 'systemctl restart -- a', { code: 1, stderr: 'it crashed\nmore' }, 'verify/unit-failed'],
    ['a module', set('module', 'a', 'loaded'), 'modprobe --all -- a', { code: 1 }, 'apply/command-failed'],
    [
      'a missing program',
      { do: 'update-trust' },
      'update-ca-certificates',
      { outcome: 'missing', code: null },
      'apply/command-failed',
    ],
    ['a drain', { do: 'drain' }, 'drain', {}, 'apply/drain-failed'],
  ])('fails the change: %s', async (_what, step, typed, answer, code) => {
    const { done, context } = aWorld({}, { [typed]: answer });
    await expect(execute([step, { do: 'daemon-reload' }], context)).rejects.toMatchObject({ name: 'StepFailed', code });
    expect(done).not.toContain('systemctl daemon-reload');
  });

  it('does not occur for a drain on a node with a failing kubelet, which is skipped', async () => {
    const { done, context } = aWorld({}, { kubelet: {} });
    await execute([{ do: 'drain' }, { do: 'daemon-reload' }], context);
    expect(done.filter((line) => !line.startsWith('#'))).toEqual(['systemctl daemon-reload']);
  });

  it('does not stop a rollback, which also resets the failed state of units', async () => {
    const { done, context } = aWorld({ isRollback: true }, { 'systemctl restart -- a': { code: 1 }, drain: {} });
    const { troubles } = await execute([{ do: 'drain' }, restart('a'), { do: 'daemon-reload' }], context);
    expect(troubles).toEqual(['the node could not be drained: drain fails', 'systemctl restart -- a: exit code 1']);
    expect(done.filter((line) => line.startsWith('systemctl'))).toEqual([
      'systemctl reset-failed -- a',
      'systemctl restart -- a',
      'systemctl daemon-reload',
    ]);
  });

  it('does not fail the change if it is a label or the uncordon', async () => {
    const { context } = aWorld({}, { uncordon: {}, 'label a=b': {} });
    expect(await execute([set('label', 'a', 'b'), { do: 'uncordon' }], context)).toMatchObject({ owesUncordon: true });
  });
});
