// A `sos report` is a .tar.xz with the output of commands under their own names and copies of logs, between thousands of other files.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../../cli/testing.ts';
import type { BootRecord } from '../model/record.ts';
import { hasXz } from './xz.testing.ts';

const BUNDLE = fileURLToPath(new URL('../fixtures/boots/first-boot.tar.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'headstart-sos-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ROOT = 'sosreport-node-1-2026-11-17-abcdefg';
/** Where sos 4 puts what the recorded bundle has under other names. */
const COPIED = {
  'systemctl-show-manager.txt': 'sos_commands/systemd/systemctl_show_--all',
  'analyze-time.txt': 'sos_commands/systemd/systemd-analyze',
  'analyze-blame.txt': 'sos_commands/systemd/systemd-analyze_blame',
  'analyze-plot.svg': 'sos_commands/systemd/systemd-analyze_plot.svg',
  'analyze-dump.txt': 'sos_commands/systemd/systemd-analyze_dump',
  'list-units.txt': 'sos_commands/systemd/systemctl_list-units',
  'list-unit-files.txt': 'sos_commands/systemd/systemctl_list-unit-files',
  'list-dependencies-tree.txt': 'sos_commands/systemd/systemctl_list-dependencies',
  'dmesg.txt': 'sos_commands/kernel/dmesg',
  'uname.txt': 'sos_commands/kernel/uname_-a',
  'ip-addr.txt': 'sos_commands/networking/ip_-d_address',
  'cloud/analyze-show.txt': 'sos_commands/cloud_init/cloud-init_analyze_show',
  'cloud/cloud-init.log': 'var/log/cloud-init.log',
  'cloud/cloud-init-output.log': 'var/log/cloud-init-output.log',
  'os-release.txt': 'etc/os-release',
};
const NOISE = {
  'sos_logs/sos.log': '2026-11-17 10:00:00,123 INFO: [plugin:systemd] collecting\n'.repeat(80),
  'sos_reports/manifest.json': '{"version":"4.7","components":{"report":{"plugins":{"systemd":{}}}}}',
  'sos_commands/process/ps_auxwww': 'USER PID %CPU COMMAND\nroot 1 0.0 /sbin/init\n',
  'sos_commands/systemd/systemctl_status_--all':
    '● ssh.service - Secure Shell server\n     Loaded: loaded (/lib/systemd/system/ssh.service)\n     Active: active (running)\n' +
    'Nov 17 10:00:00 node-1 sshd[500]: Server listening on 0.0.0.0 port 22.\n'.repeat(10),
  'var/log/boot.log': '[  OK  ] Started A.\n[  OK  ] Started B.\n',
  'etc/systemd/system.conf': '[Manager]\nLogLevel=info\n',
  'proc/cpuinfo': 'processor\t: 0\nvendor_id\t: GenuineIntel\n',
};

function makeReport(): string {
  const from = join(folder, 'bundle');
  const root = join(folder, ROOT);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  mkdirSync(from);
  execFileSync('tar', ['xzf', BUNDLE, '-C', from]);
  for (const [name, path] of Object.entries(COPIED)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(from, name), join(root, path));
  }
  for (const [path, text] of Object.entries(NOISE)) put(path, text);
  const units = readFileSync(join(from, 'systemctl-show-units.txt'), 'utf8').split('\n\n');
  const services = units.filter((block) => /^Id=.*\.service$/m.test(block));
  put('sos_commands/systemd/systemctl_show_service_--all', services.join('\n\n'));
  put('sos_commands/logs/journalctl_--no-pager_--boot', journalText(readFileSync(join(from, 'journal.json'), 'utf8')));
  const archive = join(folder, `${ROOT}.tar.xz`);
  execFileSync('tar', ['cJf', archive, '-C', folder, ROOT]);
  return archive;
}

/** As `journalctl` prints it: whole seconds, no year. */
function journalText(json: string): string {
  const lines = json.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line))
    .map((entry) => {
      const [, date, time] = /^\w+, (\d\d \w+) \d+ ([\d:]+)/.exec(
        new Date(entry.__REALTIME_TIMESTAMP / 1000).toUTCString(),
      )!;
      const [day, month] = date!.split(' ');
      const pid = entry._PID && entry.SYSLOG_IDENTIFIER !== 'kernel' ? `[${entry._PID}]` : '';
      return `${month} ${day} ${time} node-1 ${entry.SYSLOG_IDENTIFIER ?? 'x'}${pid}: ${entry.MESSAGE}`;
    })
    .join('\n');
}

describe.runIf(hasXz)('a sos report', () => {
  const archive = hasXz ? makeReport() : '';

  it('gives one boot from the commands and logs about it; other files are skipped without a warning', async () => {
    const { code, stdout, stderr } = await run(['boot', 'export', archive]);
    expect([code, stderr]).toEqual([0, '']);
    const record: BootRecord = JSON.parse(stdout);
    const used = record.sources.map(({ kind, input }) => `${kind} ${input.split(`${ROOT}/`)[1]}`).sort();
    expect(used).toEqual([
      'analyze-blame sos_commands/systemd/systemd-analyze_blame',
      'analyze-plot-svg sos_commands/systemd/systemd-analyze_plot.svg',
      'analyze-time sos_commands/systemd/systemd-analyze',
      'cloud-init-log var/log/cloud-init.log',
      'cloud-init-output var/log/cloud-init-output.log',
      'dmesg sos_commands/kernel/dmesg',
      'host-facts etc/os-release',
      'host-facts sos_commands/kernel/uname_-a',
      'journal-text sos_commands/logs/journalctl_--no-pager_--boot',
      'systemctl-manager sos_commands/systemd/systemctl_show_--all',
      'systemctl-units sos_commands/systemd/systemctl_show_service_--all',
    ]);
  });

  it('gives the same total as a bundle of the same boot, and units that are no services', async () => {
    const totalOf = async (input: string) =>
      /^(.*) until startup-finished/m.exec((await run(['boot', 'timeline', input])).stdout)?.[1];
    expect(await totalOf(archive)).toBe('1min 44.768s');
    expect(await totalOf(BUNDLE)).toBe('1min 44.768s');
    const { stdout } = await run(['boot', 'systemd', 'blame', archive]);
    expect(stdout).toContain('dev-vda.device');
  });
});
