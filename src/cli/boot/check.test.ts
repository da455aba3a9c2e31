import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../../boot/testing.ts';
import { run } from '../testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'check-'));
afterAll(() => rmSync(folder, { recursive: true }));
const stdin = JSON.stringify(
  bootRecord({
    manager: managerTimes({ userspaceUs: 2_000_000, finishUs: 9_000_000 }),
    units: [unit('app.service', 3, 5)],
  }),
);

async function check(budget: string, ...more: string[]) {
  const path = join(folder, 'budget.yaml');
  writeFileSync(path, budget);
  return run(['boot', 'check', '--budget', path, '-i', '-', ...more], { stdin });
}

describe('headstart boot check', () => {
  it('exits 0 within the budget and 3 if it is exceeded', async () => {
    expect(await check('total: 10s\nunits: {app.service: 5s}\n')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Within the budget: 2 ok'),
    });
    const beyond = await check('phases: {kernel: 1500ms}\n');
    expect(beyond).toMatchObject({ code: 3, stdout: expect.stringContaining('exceeded') });
    expect(beyond.stdout).toMatch(/exceeded +1\.500s +2s +phases\.kernel/);
  });

  it('fails if a value is missing, unless --allow-missing is given', async () => {
    const budget = 'milestones: {node-ready: 40s}\n';
    expect(await check(budget)).toMatchObject({ code: 3, stdout: expect.stringContaining('unknown') });
    expect((await check(budget, '--allow-missing')).code).toBe(0);
  });

  it('prints JSON', async () => {
    const { code, stdout } = await check('total: 1s\n', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'BootCheck',
      isWithin: false,
      checks: [{ path: 'total', limitUs: 1_000_000, actualUs: 9_000_000, verdict: 'exceeded' }],
    });
  });

  it.each([
    ['total: soon\nunit: {}\n', "unknown 'unit'"],
    ['total: [\n', 'is not YAML'],
    ['a: *b\n', 'boot/bad-budget'],
    ['', 'boot/bad-budget'],
  ])('refuses the budget %j with exit 2', async (budget, text) => {
    const { code, stdout, stderr } = await check(budget);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });

  it('refuses a missing budget', async () => {
    expect(await run(['boot', 'check', '--budget', join(folder, 'none.yaml'), '-i', '-'], { stdin })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not exist'),
    });
    expect((await run(['boot', 'check', '-i', '-'], { stdin })).code).toBe(2);
    const garbled = join(folder, 'garbled.yaml');
    writeFileSync(garbled, `"${'a: [}'.repeat(2000)}\n`.repeat(20));
    const ran = await run(['boot', 'check', '--budget', garbled, '-i', '-'], { stdin });
    expect(ran.stderr).toContain('is not YAML');
    expect(ran.stderr.length).toBeLessThan(1000);
  });
});
