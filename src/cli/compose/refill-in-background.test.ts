import type { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { poolFolder } from '../../vms/qemu/home/layout.ts';
import { refillInBackground } from './refill-in-background.ts';

let home: string;
let log: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-refill-'));
  log = join(poolFolder(home, 'web'), 'standby.log');
});
afterEach(() => rmSync(home, { recursive: true }));

/** What was started: its arguments, and whether its output goes to a file. */
function refill(): { argv: readonly string[]; isLogged: boolean } | undefined {
  let started: ReturnType<typeof refill>;
  const start = ((_program: string, argv: string[], { stdio }: { stdio: unknown[] }) => {
    started = { argv, isLogged: typeof stdio[1] === 'number' };
    return Object.assign(new EventEmitter(), { unref: () => undefined });
  }) as unknown as typeof spawn;
  refillInBackground(home, 'web', {}, start);
  return started;
}

it('starts `standby up` with a private log', () => {
  mkdirSync(poolFolder(home, 'web'), { recursive: true });
  expect(refill()).toMatchObject({ argv: expect.arrayContaining(['standby', 'up', 'web', home]), isLogged: true });
  expect(statSync(log).mode & 0o777).toBe(0o600);
});

it('begins a log again that has become large', () => {
  mkdirSync(poolFolder(home, 'web'), { recursive: true });
  writeFileSync(log, 'x'.repeat(300 << 10));
  refill();
  expect(statSync(log).size).toBe(0);
});

// The claim before it has succeeded, and must not fail because of its log.
it.each<[string, () => void]>([
  ['a link', () => symlinkSync('/dev/null', log)],
  ['a folder', () => mkdirSync(log)],
])('starts it without a log when that is %s', (_what, make) => {
  mkdirSync(poolFolder(home, 'web'), { recursive: true });
  make();
  expect(refill()).toMatchObject({ isLogged: false });
});

it('neither starts anything nor makes a folder for a pool that was deleted', () => {
  expect(refill()).toBeUndefined();
  expect(existsSync(poolFolder(home, 'web'))).toBe(false);
});
