import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeLock } from './lock.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'headstart-lock-')), 'lock');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

/** A process that takes the lock, prints whether it got it, and waits. */
function another() {
  const script = `import { takeLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
console.log(takeLock(${JSON.stringify(folder)}) !== undefined);
setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('takeLock', () => {
  it('refuses a second lock, also for the same process', () => {
    const lock = takeLock(folder);
    expect(takeLock(folder)).toBeUndefined();
    lock?.release();
    expect(readdirSync(folder)).toEqual([]);
    takeLock(folder)?.release();
  });

  it('refuses while another process holds the lock, until that process is killed', async () => {
    const holder = another();
    const [kindAndCode] = await once(holder.stdout, 'data');
    expect(String(kindAndCode)).toBe('true\n');
    expect(takeLock(folder)).toBeUndefined();
    expect(readdirSync(folder)).toHaveLength(1);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const lock = takeLock(folder);
    expect(lock).toBeDefined();
    expect(readdirSync(folder)).toHaveLength(1);
    lock?.release();
  });

  it.each([
    ['of an earlier boot', () => `11111111-2222-3333-4444-555555555555.1.${process.pid}.1`],
    ['with a pid that was reused', (own: string) => own.replace(/\d+$/, '1')],
    ['with an invalid name', () => 'nonsense'],
  ])('removes a mark %s', (_what, markOf) => {
    mkdirSync(folder);
    const lock = takeLock(folder);
    const [own] = readdirSync(folder);
    lock?.release();
    writeFileSync(join(folder, markOf(own!)), '');
    const next = takeLock(folder);
    expect(next).toBeDefined();
    expect(readdirSync(folder)).toEqual([own]);
    next?.release();
  });

  it('respects a mark of another pid namespace', () => {
    mkdirSync(folder);
    const lock = takeLock(folder);
    const [own] = readdirSync(folder);
    lock?.release();
    const [bootId, , pid, ticks] = own!.split('.');
    writeFileSync(join(folder, [bootId, '42', pid, ticks].join('.')), '');
    expect(takeLock(folder)).toBeUndefined();
  });
});
