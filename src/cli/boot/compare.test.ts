import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../../boot/testing.ts';
import { run } from '../testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'compare-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a record with this much work in app.service; returns the file. */
function recorded(name: string, appS: number): string {
  const record = bootRecord({
    bootId: Buffer.from(name.padEnd(16, '0').slice(0, 16)).toString('hex'),
    manager: managerTimes({ userspaceUs: 2_000_000, finishUs: (3 + appS) * 1e6 }),
    units: [unit('app.service', 3, appS), unit('multi-user.target', 3 + appS, 0, ['app.service'])],
  });
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify(record));
  return path;
}

describe('headstart boot compare', () => {
  it('names what became slower and its share of the difference', async () => {
    const { code, stdout, stderr } = await run(['boot', 'compare', recorded('one', 2), recorded('two', 5)]);
    expect(code).toBe(0);
    expect(stdout).toContain('startup-finished: 5s → 8s, 3s slower (1 boot before, 1 after)');
    expect(stdout).toMatch(/slower +2s +5s +\+3s +\+3s +100% +work +systemd app\.service/);
    expect(stderr).toContain('noise is unknown');
  });

  it('accepts several boots per side, and uses their medians', async () => {
    const before = [1.9, 2, 2.1].flatMap((s, i) => ['--before', recorded(`b${i}`, s)]);
    const after = [2, 2.1, 1.95].flatMap((s, i) => ['--after', recorded(`a${i}`, s)]);
    const { stdout } = await run(['boot', 'compare', ...before, ...after, '--threshold', '0', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'BootCompare',
      boots: { before: 3, after: 3 },
      total: { beforeUs: 5_000_000, isNoise: true },
    });
  });

  it('explains nearly all of the difference between the two recorded boots', async () => {
    const boot = (name: string) => fileURLToPath(new URL(`../../boot/fixtures/boots/${name}.tar.gz`, import.meta.url));
    const { stdout } = await run([
      'boot',
      'compare',
      boot('first-boot'),
      boot('clone-boot'),
      '--threshold',
      '0',
      '--json',
    ]);
    const { total, changes } = JSON.parse(stdout);
    expect(total).toMatchObject({ name: 'startup-finished', beforeUs: 104_768_855 });
    type Row = { id: string; inside?: string; onPath: string; explainsUs: number };
    const onPath = new Set((changes as Row[]).filter((row) => row.onPath !== 'no').map((row) => row.id));
    const top = (changes as Row[]).filter((row) => row.inside === undefined || !onPath.has(row.inside));
    expect(top.reduce((sum, row) => sum + row.explainsUs, 0)).toBe(total.deltaUs);
  });

  it('prints effects instead of percentages if effects of both directions cancel out', async () => {
    const boot = (name: string, aS: number, bS: number) => {
      const path = join(folder, name);
      const record = bootRecord({
        manager: managerTimes({ userspaceUs: 2e6, finishUs: (3 + aS + bS) * 1e6 }),
        units: [
          unit('systemd-networkd-wait-online.service', 3, aS),
          unit('b.service', 3 + aS, bS, ['systemd-networkd-wait-online.service']),
          unit('multi-user.target', 3 + aS + bS, 0, ['b.service']),
        ],
      });
      writeFileSync(path, JSON.stringify(record));
      return path;
    };
    const { stdout } = await run(['boot', 'compare', boot('both-1', 10, 1), boot('both-2', 1, 9)]);
    expect(stdout).not.toContain('%');
    expect(stdout).toContain('Of it waits on the path: 10s → 1s; own time: 4s → 12s.');
    expect(stdout).toMatch(/faster +10s +1s +-9s +-9s +wait +systemd systemd-networkd-wait-online/);
  });

  it('says that the ordering is unknown for units of a journal', async () => {
    const boot = (name: string, appS: number) => {
      const path = join(folder, name);
      const record = bootRecord({
        manager: managerTimes({ userspaceUs: 2e6, finishUs: (5 + appS) * 1e6 }),
        units: [unit('app.service', 3, appS), unit('last.service', 3, appS + 1)],
      });
      writeFileSync(path, JSON.stringify(record));
      return path;
    };
    const { stdout } = await run(['boot', 'compare', boot('journal-1', 1), boot('journal-2', 4)]);
    expect(stdout).not.toContain('did not wait');
    expect(stdout).toMatch(/Ordering unknown: the input does not say[\s\S]*app\.service/);
  });

  it.each([[['only-one']], [['a', 'b', '--threshold', 'x']], [['a', 'b', '--limit', '-1']], [['a', 'b']]])(
    'refuses %j with exit 2',
    async (args) => {
      const { code, stdout, stderr } = await run(['boot', 'compare', ...args]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('code:  boot/');
    },
  );
});
