import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('headstart boot check --against', () => {
  const write = (name: string, appS: number) => {
    const path = join(folder, name);
    const record = bootRecord({
      bootId: name.slice(0, 1).repeat(32),
      host: { hostname: 'node-1' },
      manager: managerTimes({ userspaceUs: 2_000_000, finishUs: (4 + appS) * 1e6 }),
      units: [unit('app.service', 3, appS), unit('small.service', 3, 0.1)],
    });
    writeFileSync(path, JSON.stringify(record));
    return path;
  };
  const [a, b, slow] = [write('a.json', 5), write('b.json', 6), write('c.json', 9)];

  it('exits 3 if the boot is slower than the slowest baseline boot, and states the rule and that boots are few', async () => {
    const { code, stdout, stderr } = await run(['boot', 'check', slow, '--against', a, b]);
    expect(code, stderr).toBe(3);
    expect(stdout).toMatch(/exceeded +9s – 10s +11s +13s +total +until startup-finished/);
    expect(stdout).toContain('slower than the slowest of 2 baseline boots by more than 10% and more than 500ms');
    expect(stdout).toContain('Not within the baseline: 3 ok, 4 exceeded, 0 unknown.');
    expect(stdout).toContain('1 unit is ok and not shown');
    expect(stderr).toContain('only 2 baseline boots');
  });

  it('passes a boot within the spread, and follows --margin', async () => {
    expect((await run(['boot', 'check', a, '--against', b])).code).toBe(0);
    expect((await run(['boot', 'check', slow, '--against', a, b, '--margin', '60%'])).code).toBe(0);
  });

  it('prints JUnit XML or GitHub annotations, to a file with -o', async () => {
    const xml = await run(['boot', 'check', slow, '--against', a, '--format', 'junit']);
    expect(xml).toMatchObject({ code: 3, stdout: expect.stringMatching(/^<\?xml .*<testsuite name="boot check"/s) });
    const path = join(folder, 'annotations.txt');
    const noted = await run(['boot', 'check', slow, '--against', a, '--format', 'github', '-o', path]);
    expect(noted).toMatchObject({ code: 3, stdout: expect.stringContaining('VERDICT') });
    expect(readFileSync(path, 'utf8')).toMatch(/^::error title=boot check%3A total exceeded::total took 13s/);
  });

  it.each([
    [['--margin', 'much'], 'not a percentage'],
    [['--threshold', 'much'], 'not a time span'],
    [['--format', 'junit', '--json'], 'would go to standard output'],
    [['-o', 'x'], 'needs a format'],
  ])('refuses %j with exit 2', async (args, text) => {
    const { code, stderr } = await run(['boot', 'check', slow, '--against', a, ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('refuses a baseline that is only the boot itself, and a check against nothing', async () => {
    expect((await run(['boot', 'check', a, '--against', a])).stderr).toContain('no boot other than the checked one');
    expect((await run(['boot', 'check', a])).stderr).toContain('add --budget FILE, or recorded boots');
  });
});
