import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../testing.ts';

const boots = join(import.meta.dirname, '../../boot/fixtures/boots');
const first = join(boots, 'first-boot.tar.gz');
const second = join(boots, 'clone-boot.tar.gz');
const folder = mkdtempSync(join(tmpdir(), 'headstart-report-'));
const file = join(folder, 'report.html');

beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Shown {
  label: string;
  totalUs: number;
}

function viewsIn(html: string): Shown[] {
  return JSON.parse(/id="boots">([^<]*)</.exec(html)![1]!) as Shown[];
}
const labels = (html: string) => viewsIn(html).map((view) => view.label);

describe('boot report', () => {
  test('writes a report of one boot and prints its path and size', async () => {
    const ran = await run(['boot', 'report', first, '-o', file]);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toMatch(/^wrote .*report\.html \(\d+ KB\)$/m);
    expect(viewsIn(readFileSync(file, 'utf8'))).toMatchObject([{ label: 'first-boot', totalUs: 104_768_855 }]);
    expect(readdirSync(folder)).toEqual(['report.html']);
  });

  test('shows two inputs as two boots in the given order, as arguments or with -i', async () => {
    const named = await run(['boot', 'report', second, first, '-o', '-']);
    expect(labels(named.stdout)).toEqual(['clone-boot', 'first-boot']);
    const optioned = await run(['boot', 'report', '-i', second, '-i', first, '-o', '-']);
    expect(labels(optioned.stdout)).toEqual(['clone-boot', 'first-boot']);
  });

  test('shows up to four boots, and names all of them in the title', async () => {
    const ran = await run(['boot', 'report', first, second, first, second, '-o', '-']);
    expect(labels(ran.stdout)).toEqual(['first-boot', 'clone-boot', 'first-boot', 'clone-boot']);
    expect(ran.stdout).toContain('<title>first-boot, clone-boot, first-boot and clone-boot: boot report</title>');
  });

  test('prints what was written with --json', async () => {
    const ran = await run(['boot', 'report', first, '-o', file, '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'BootReport', file, boots: [{ label: 'first-boot' }] });
  });

  test('replaces an earlier report, also through a link', async () => {
    const link = join(folder, 'link.html');
    await run(['boot', 'report', first, '-o', file]);
    symlinkSync(file, link);
    const ran = await run(['boot', 'report', second, '-o', link]);
    expect(ran.code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(labels(readFileSync(file, 'utf8'))).toEqual(['clone-boot']);
  });

  test('does not overwrite another file without --force', async () => {
    writeFileSync(file, 'precious');
    const refused = await run(['boot', 'report', first, '-o', file]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('boot/report-exists');
    expect(readFileSync(file, 'utf8')).toBe('precious');
    const forced = await run(['boot', 'report', first, '-o', file, '--force']);
    expect(forced.code).toBe(0);
    expect(labels(readFileSync(file, 'utf8'))).toEqual(['first-boot']);
  });

  test.each([
    ['a folder', [first, '-o', folder, '--force'], 2, 'boot/report-not-a-file'],
    ['a missing folder', [first, '-o', join(folder, 'no', 'report.html')], 1, 'boot/output-unwritable'],
    ['a folder that is a file', [first, '-o', join(first, 'report.html')], 1, 'boot/output-unwritable'],
    ['five boots', [first, second, first, second, first, '-o', '-'], 2, 'boot/report-too-many'],
    ['inputs as arguments and with -i', [first, '-i', second, '-o', '-'], 2, 'boot/report-inputs-mixed'],
    ['two answers on stdout', [first, '-o', '-', '--json'], 2, 'boot/report-stdout-twice'],
    ['a missing input', [join(folder, 'gone.tar.gz'), '-o', file], 2, 'boot/input-unreadable'],
  ])('%s causes an error with a next step', async (_, args, code, errorCode) => {
    const ran = await run(['boot', 'report', ...args]);
    expect(ran.code).toBe(code);
    expect(ran.stdout && JSON.parse(ran.stdout).kind).toBe(args.includes('--json') ? 'Error' : '');
    expect(ran.stderr).toContain(errorCode);
    expect(ran.stderr).toContain('next:');
  });
});
