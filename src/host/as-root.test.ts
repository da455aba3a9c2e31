import { describe, expect, it } from 'vitest';
import type { Argv, CommandResult, RunCommand } from '../base/command.ts';
import { rootRunner } from './as-root.ts';

const refused = { code: 'area/needs-root', kept: 'Nothing was made.', asRoot: 'run it as root' };

function machine(answer: Partial<CommandResult> = {}) {
  const ran: Argv[] = [];
  const run: RunCommand = async (argv) => {
    ran.push(argv);
    return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '', ...answer };
  };
  return { ran, run };
}

describe('rootRunner', () => {
  it('tries once, then runs every command in namespaces that end with this program', async () => {
    const { ran, run } = machine();
    const runAsRoot = await rootRunner(run, true, refused);
    expect(ran).toHaveLength(1);
    await runAsRoot(['mke2fs', 'x']);
    const line = ran[1]!.join(' ');
    expect(line).toMatch(/^setpriv --pdeathsig KILL unshare .*--pid .*--kill-child .*mke2fs x$/);
    expect(line).not.toContain('--map-root-user');
  });

  it('maps the ids of a user who is not root', async () => {
    const { ran, run } = machine();
    await (await rootRunner(run, false, refused))(['true']);
    for (const argv of ran) expect(argv).toEqual(expect.arrayContaining(['--map-root-user', '--map-auto']));
  });

  it("advises a user to add subordinate ids or to use root, with the caller's error code", async () => {
    const { run } = machine({ code: 1, stderr: 'unshare: trying\nunshare: uid_map: Operation not permitted\n' });
    await expect(rootRunner(run, false, refused)).rejects.toMatchObject({
      code: 'area/needs-root',
      kept: 'Nothing was made.',
      message: expect.stringMatching(/failed: unshare: uid_map: Operation not permitted$/),
      next: expect.stringMatching(/^sudo usermod --add-subuids .*, or run it as root$/),
    });
  });

  it('advises root about the container, and reports the outcome when nothing was printed', async () => {
    const { run } = machine({ outcome: 'missing', code: null });
    await expect(rootRunner(run, true, refused)).rejects.toMatchObject({
      message: 'this machine does not allow root to create namespaces: missing',
      next: expect.stringContaining('SYS_ADMIN'),
    });
  });
});
