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
/** Even ones are gone. */
const processes: Processes = { own: () => mark(1), isGone: ({ pid }) => pid % 2 === 0 };
const deps = () => ({
  parent,
  uid: process.getuid!(),
  processes,
  open: async (home: string) => ({ pools: { deletePool: async () => void deletedIn.push(home) } }),
});

describe('a home for one VM', () => {
  it('is gone afterwards, with its VM, however the work ended', async () => {
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

  it('stays when it is to be kept, and nobody sweeps it away', async () => {
    const keep = () => withTemporaryHome(deps(), { isKept: true }, async (home) => home);
    const kept = await keep();
    await withTemporaryHome(deps(), { isKept: false }, async () => undefined);
    expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([kept]);
  });

  it('takes those of processes that were killed with it, and nothing else', async () => {
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
