import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runVerb } from '../testing.ts';
import { verb as record } from './record.ts';

const boots = (name: string) => fileURLToPath(new URL(`../../boot/fixtures/boots/${name}.tar.gz`, import.meta.url));
const FIRST = '46bc72e7a99d4d429784493dd92e074f';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-record-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('boot record', () => {
  it('saves a boot of 199 units in less than 10 KB', async () => {
    const ran = await runVerb(record, ['-i', boots('first-boot'), '--dir', folder]);
    expect(ran).toMatchObject({ code: 0, stdout: `${join(folder, FIRST)}.json.zst\n` });
    expect(statSync(join(folder, `${FIRST}.json.zst`)).size).toBeLessThan(10_000);
  });

  it('keeps no more records than --keep', async () => {
    await runVerb(record, ['-i', boots('clone-boot'), '--dir', folder]);
    const ran = await runVerb(record, ['-i', boots('first-boot'), '--dir', folder, '--keep', '1', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'BootRecorded', bootId: FIRST });
    expect(readdirSync(folder)).toEqual([`${FIRST}.json.zst`]);
  });

  it('refuses --dir with --install, and installs nothing', async () => {
    const { code, stderr } = await runVerb(record, ['--install', '--root', folder, '--dir', 'elsewhere']);
    expect(code).toBe(2);
    expect(stderr).toContain('--dir elsewhere: the installed timer always records into /var/lib/headstart/boots');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('prints the files with --install --dry-run, and writes nothing', async () => {
    const { stdout } = await runVerb(record, [
      '--install',
      '--dry-run',
      '--root',
      folder,
      '--launcher',
      '/usr/bin/headstart',
    ]);
    expect(stdout).toContain(`# ${folder}/etc/systemd/system/headstart-boot-record.service\n`);
    expect(stdout).toContain('ExecStart=/usr/bin/headstart boot record --settle 30min --keep 100\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('installs into an image and uninstalls from it', async () => {
    const install = await runVerb(record, ['--install', '--root', folder]);
    expect(install).toMatchObject({ code: 0 });
    expect(readdirSync(join(folder, 'etc/systemd/system'))).toHaveLength(3);
    const uninstall = await runVerb(record, ['--uninstall', '--root', folder]);
    expect(uninstall.stderr).toContain('removed ');
    expect(readdirSync(join(folder, 'etc/systemd/system'))).toEqual(['timers.target.wants']);
    expect((await runVerb(record, ['--uninstall', '--root', folder])).stderr).toContain('nothing to do');
  });

  it.each([[['--keep', '0']], [['--keep', 'x']], [['--install', '--uninstall']], [['--settle', 'soon']]])(
    'refuses %j',
    async (args) => {
      expect((await runVerb(record, [...args, '--dir', folder])).code).toBe(2);
    },
  );
});
