import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../base/command.ts';
import type { Step } from '../desired/tree.ts';
import { aWorld, doneBy, restart, set } from './execute.testing.ts';
import { execute } from './execute.ts';

describe('steps', () => {
  it.each<[string, Step[], string[]]>([
    ['modules', [set('module', 'a', 'loaded'), set('module', 'b', 'loaded')], ['modprobe --all -- a b']],
    ['reading units', [{ do: 'daemon-reload' }], ['systemctl daemon-reload']],
    ['trust', [{ do: 'update-trust' }], ['update-ca-certificates']],
    [
      'temporary files',
      [{ do: 'apply-tmpfiles', path: '/etc/tmpfiles.d/a' }],
      ['systemd-tmpfiles --create -- /etc/tmpfiles.d/a'],
    ],
    [
      'units that are switched on',
      [set('unit-enabled', 'a', 'yes'), set('unit-enabled', 'b', 'yes')],
      ['systemctl reenable -- a b'],
    ],
    ['units that are switched off', [set('unit-enabled', 'a', 'no')], ['systemctl disable -- a']],
    [
      'units that start',
      [set('unit-active', 'a', 'yes'), { do: 'start-unit', unit: 'b' }],
      ['systemctl start -- a', 'systemctl start -- b'],
    ],
    ['units that stop', [set('unit-active', 'a', 'no')], ['systemctl stop -- a']],
    ['a reload', [{ do: 'reload-unit', unit: 'ssh' }], ['systemctl try-reload-or-restart -- ssh']],
    ['all restarts at once', [restart('a'), restart('b')], ['systemctl restart -- a b']],
    [
      'files that go',
      [
        { do: 'remove-file', path: '/etc/a' },
        { do: 'remove-state', path: '/var/b' },
        { do: 'remove-folder', path: '/etc/c' },
      ],
      ['remove /etc/a', 'remove /var/b', 'removeFolder /etc/c'],
    ],
    ['drain and back', [{ do: 'drain' }, { do: 'uncordon' }], ['drain', 'uncordon']],
  ])('%s', async (_what, steps, expected) => {
    expect(await doneBy(steps)).toEqual(expected);
  });

  it('take new files from where they wait, and leave alone those that are there already', async () => {
    const file = { content: 'x', encoding: 'utf8', mode: 0o644, uid: 0, gid: 0 } as const;
    const steps: Step[] = [
      { do: 'make-folder', path: '/etc/a' },
      { do: 'write-file', path: '/etc/a/b', ...file },
      { do: 'write-file', path: '/etc/a/c', ...file },
    ];
    expect(await doneBy(steps, { staged: new Map([['/etc/a/b', '/etc/a/.new']]) })).toEqual([
      'rename /etc/a/.new /etc/a/b',
    ]);
  });

  it('wait for no unit before kubelet runs: it may wait for us', async () => {
    const steps = [restart('containerd.service'), set('unit-active', 'a', 'yes'), set('unit-enabled', 'a', 'yes')];
    expect(await doneBy(steps, { isBeforeKubelet: true })).toEqual([
      'systemctl --no-block restart -- containerd.service',
      'systemctl --no-block start -- a',
      'systemctl reenable -- a',
    ]);
  });

  it('in a later boot restart only what has started, and drain nothing', async () => {
    expect(await doneBy([{ do: 'drain' }, restart('a')], { isLaterBoot: true })).toEqual([
      'systemctl try-restart -- a',
    ]);
  });

  it('are timed under names that stay', async () => {
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
  it.each<[string, Step, string, Partial<CommandResult>, string]>([
    ['a unit', restart('a'), 'systemctl restart -- a', { code: 1, stderr: 'it crashed\nmore' }, 'verify/unit-failed'],
    ['a module', set('module', 'a', 'loaded'), 'modprobe --all -- a', { code: 1 }, 'apply/command-failed'],
    [
      'a program that is not there',
      { do: 'update-trust' },
      'update-ca-certificates',
      { outcome: 'missing', code: null },
      'apply/command-failed',
    ],
    ['a drain', { do: 'drain' }, 'drain', {}, 'apply/drain-failed'],
  ])('ends the change: %s', async (_what, step, typed, answer, code) => {
    const { done, context } = aWorld({}, { [typed]: answer });
    await expect(execute([step, { do: 'daemon-reload' }], context)).rejects.toMatchObject({ name: 'StepFailed', code });
    expect(done).not.toContain('systemctl daemon-reload');
  });

  it('does not empty a node whose kubelet does not run: nobody would end a pod', async () => {
    const { done, context } = aWorld({}, { kubelet: {} });
    await execute([{ do: 'drain' }, { do: 'daemon-reload' }], context);
    expect(done.filter((line) => !line.startsWith('#'))).toEqual(['systemctl daemon-reload']);
  });

  it('does not stop a way back, which clears what systemd holds against a unit', async () => {
    const { done, context } = aWorld({ isWayBack: true }, { 'systemctl restart -- a': { code: 1 }, drain: {} });
    const { troubles } = await execute([{ do: 'drain' }, restart('a'), { do: 'daemon-reload' }], context);
    expect(troubles).toEqual(['the node could not be drained: drain fails', 'systemctl restart -- a: exit code 1']);
    expect(done.filter((line) => line.startsWith('systemctl'))).toEqual([
      'systemctl reset-failed -- a',
      'systemctl restart -- a',
      'systemctl daemon-reload',
    ]);
  });

  it('is no failure of the change when only the Node does not hear of it', async () => {
    const { context } = aWorld({}, { uncordon: {}, 'label a=b': {} });
    expect(await execute([set('label', 'a', 'b'), { do: 'uncordon' }], context)).toMatchObject({ owesUncordon: true });
  });
});
