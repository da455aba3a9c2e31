import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runVerb } from '../testing.ts';
import { verb as history } from './history.ts';
import { verb as record } from './record.ts';

const boots = (name: string) => fileURLToPath(new URL(`../../boot/fixtures/boots/${name}.tar.gz`, import.meta.url));
const FIRST = '46bc72e7a99d4d429784493dd92e074f';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-history-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('boot history', () => {
  it('lists the recorded boots, oldest first, and what changed', async () => {
    for (const name of ['first-boot', 'clone-boot']) await runVerb(record, ['-i', boots(name), '--dir', folder]);
    const { code, stdout } = await runVerb(history, ['--dir', folder]);
    expect(code).toBe(0);
    const [header, ...lines] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/^BOOT +STARTED \(UTC\) +KERNEL +USERSPACE +TOTAL/);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^57345503 +2026-11-15 20:5\d:\d\d +/);
    expect(lines[1]).toMatch(
      /^46bc72e7 +2026-11-15 21:07:5\d +10\.494s +1min 34\.\d+s +1min 44\.\d+s .*userspace slower/,
    );
    const json = JSON.parse((await runVerb(history, ['--dir', folder, '-n', '1', '--json'])).stdout);
    expect(json).toMatchObject({ kind: 'BootHistory', boots: [{ bootId: FIRST, tookUs: { kernel: 10494711 } }] });
  });

  it('names a damaged record and continues', async () => {
    await runVerb(record, ['-i', boots('first-boot'), '--dir', folder]);
    writeFileSync(join(folder, `${'0'.repeat(32)}.json.zst`), 'x');
    const { code, stdout, stderr } = await runVerb(history, ['--dir', folder]);
    expect(code).toBe(0);
    expect(stderr).toContain(`warning: ${folder}/${'0'.repeat(32)}.json.zst left out: `);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  it('fails with a next step if there are no records', async () => {
    const { code, stderr } = await runVerb(history, ['--dir', join(folder, 'none')]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `next:  record this boot there with \`headstart boot record --dir ${join(folder, 'none')}\``,
    );
  });

  it('reports that every record is damaged', async () => {
    writeFileSync(join(folder, `${'0'.repeat(32)}.json.zst`), 'x');
    const { code, stdout, stderr } = await runVerb(history, ['--dir', folder]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`all 1 records in ${folder} are damaged`);
  });

  it.each(['0', '-1', 'x', '1.5'])('refuses -n %s', async (number) => {
    const { code, stderr } = await runVerb(history, ['--dir', folder, `--number=${number}`]);
    expect(code).toBe(2);
    expect(stderr).toContain('code:  boot/bad-usage');
  });
});
