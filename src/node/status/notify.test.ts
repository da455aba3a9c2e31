import { describe, expect, it } from 'vitest';
import type { Argv, RunCommand } from '../../base/command.ts';
import { notifySystemd } from './notify.ts';

function recording(code = 0): { argvs: Argv[]; run: RunCommand } {
  const argvs: Argv[] = [];
  return {
    argvs,
    run: async (argv) => {
      argvs.push(argv);
      return { outcome: 'exited', code, stdout: Buffer.alloc(0), stderr: '' };
    },
  };
}

describe('notifySystemd', () => {
  it('starts no process without NOTIFY_SOCKET', async () => {
    const { argvs, run } = recording();
    const notify = notifySystemd(run, {});
    expect([await notify.ready('a'), await notify.status('b'), await notify.stopping()]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(argvs).toEqual([]);
  });

  it('sends ready and the status in one message', async () => {
    const { argvs, run } = recording();
    const notify = notifySystemd(run, { NOTIFY_SOCKET: '/run/systemd/notify' });
    await notify.ready('generation 7 is applied');
    await notify.stopping();
    expect(argvs).toEqual([
      ['systemd-notify', '--ready', '--status=generation 7 is applied'],
      ['systemd-notify', 'STOPPING=1'],
    ]);
  });

  it('sends one message for any status line', async () => {
    const { argvs, run } = recording();
    await notifySystemd(run, { NOTIFY_SOCKET: 'x' }).status(`a\nMAINPID=1\u0000${'b'.repeat(300)}`);
    expect(argvs[0]).toHaveLength(2);
    expect(argvs[0]![1]).toMatch(/^--status=a MAINPID=1 b+$/);
    expect(argvs[0]![1]!.length).toBeLessThanOrEqual('--status='.length + 200);
  });

  it('returns the reason of a failure and does not throw', async () => {
    expect(await notifySystemd(recording(1).run, { NOTIFY_SOCKET: 'x' }).ready('a')).toBe(
      'systemd-notify exited with 1',
    );
  });
});
