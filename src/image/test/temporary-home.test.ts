import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Processes, ProcessMark } from '../../base/process-mark.ts';
import { withTemporaryHome } from './temporary-home.ts';

let parent: string;
let deletedIn: string[];
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'headstart-homes-'));
  deletedIn = [];
});
afterEach(() => rmSync(parent, { recursive: true }));

const mark = (pid: number): ProcessMark => ({ pid, startTicks: '1', bootId: 'b', pidNamespace: 'n' });
/** Processes with even pids have ended. */
const processes: Processes = { own: () => mark(1), isGone: ({ pid }) => pid % 2 === 0 };
const deps = () => ({
  parent,
  uid: process.getuid!(),
  processes,
  open: async (home: string) => ({ pools: { deletePool: async () => void deletedIn.push(home) } }),
});

describe('withTemporaryHome', () => {
  it('removes the home and its VM, whether the work succeeds or fails', async () => {
    for (const fails of [false, true]) {
      let home = '';
      const work = withTemporaryHome(deps(), { isKept: false }, async (made) => {
        home = made;
        expect(existsSync(made)).toBe(true);
        if (fails) throw new Error('no luck');
        return 7;
      });
      await (fails ? expect(work).rejects.toThrow('no luck') : expect(work).resolves.toBe(7));
      expect(existsSync(home)).toBe(false);
      expect(deletedIn.pop()).toBe(home);
    }
  });

  it('reports a folder for temporary files that cannot be used', async () => {
    const none = { ...deps(), parent: join(parent, 'none') };
    await expect(withTemporaryHome(none, { isKept: false }, async () => 7)).rejects.toMatchObject({
      code: 'cli/no-temporary-folder',
      message: expect.stringContaining(none.parent),
    });
  });

  it('keeps a home on request, and later calls do not remove it', async () => {
    const keep = () => withTemporaryHome(deps(), { isKept: true }, async (home) => home);
    const kept = await keep();
    await withTemporaryHome(deps(), { isKept: false }, async () => undefined);
    expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([kept]);
  });

  it('removes homes of killed processes, and nothing else', async () => {
    const home = (name: string, owner: unknown) => {
      mkdirSync(join(parent, name));
      writeFileSync(join(parent, name, 'owner.json'), JSON.stringify(owner));
    };
    home('headstart-image-test-dead', mark(2));
    home('headstart-image-test-alive', mark(3));
    home('headstart-image-test-odd', { pid: 'x' });
    home('something-else', mark(2));
    symlinkSync(join(parent, 'something-else'), join(parent, 'headstart-image-test-link'));
    await withTemporaryHome(deps(), { isKept: false }, async () => undefined);
    expect(readdirSync(parent).sort()).toEqual([
      'headstart-image-test-alive',
      'headstart-image-test-link',
      'headstart-image-test-odd',
      'something-else',
    ]);
    expect(deletedIn).toContain(join(parent, 'headstart-image-test-dead'));
  });
});
