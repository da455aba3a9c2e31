import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../../boot/testing.ts';
import { run } from '../testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'two-boots-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder of three boots of one machine, an hour apart. */
for (const [i, appS] of [1, 2, 6].entries()) {
  const record = bootRecord({
    bootId: String(i + 1).repeat(32),
    clock: { zero: 'kernel', wallAtZeroUs: (1_700_000_000 + 3600 * i) * 1e6 },
    manager: managerTimes({ userspaceUs: 2e6, finishUs: (3 + appS) * 1e6 }),
    units: [unit('app.service', 3, appS), unit('multi-user.target', 3 + appS, 0, ['app.service'])],
  });
  writeFileSync(join(folder, `${i}.json`), JSON.stringify(record));
}

describe('boot compare with one input', () => {
  it('compares the last boot in it with the one before', async () => {
    const { code, stdout, stderr } = await run(['boot', 'compare', folder]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('comparing the last boot with boot -1 (2222')]);
    expect(stdout).toContain('startup-finished: 5s → 9s, 4s slower');
  });

  it('compares with the boot that --boot names', async () => {
    expect((await run(['boot', 'compare', folder, '-b', '-2'])).stdout).toContain('startup-finished: 4s → 9s');
    expect((await run(['boot', 'compare', folder, '-b', '1'.repeat(32)])).stdout).toContain(
      'startup-finished: 4s → 9s',
    );
  });

  it.each([
    [['--boot', '0'], 'compared with itself'],
    [['--boot', '-7'], 'no boot -7'],
    [[folder, '--boot', '-1'], 'two sides are given'],
  ])('refuses %j', async (args, text) => {
    const { code, stderr } = await run(['boot', 'compare', folder, ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('refuses an input with one boot', async () => {
    const { code, stderr } = await run(['boot', 'compare', join(folder, '0.json')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('has one boot only')]);
  });
});
