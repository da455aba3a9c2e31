import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { ensureInstalled, ensureUninstalled, recordUnit, refuseHiddenLauncher } from './record-unit.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-root-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const unit = (launcher = '/opt/headstart/headstart') => recordUnit({ launcher, keep: 30, root });
const [SERVICE, TIMER] = [0, 1];

/** Accepts only sections, `Key=value` lines and comment lines; anything else is a mistake in the unit. */
function parseUnit(text: string): Record<string, string> {
  const settings: Record<string, string> = {};
  let section = '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const header = /^\[(\w+)\]$/.exec(line);
    const setting = /^([A-Z]\w+)=(.+)$/.exec(line);
    if (header) section = header[1]!;
    else if (setting && section !== '') settings[`${section}.${setting[1]}`] = setting[2]!;
    else throw new Error(`not a line of a unit: ${line}`);
  }
  return settings;
}

describe('the boot record unit', () => {
  it('is not part of the boot it records: a timer starts it, and no start job waits for the end of the boot', () => {
    const service = parseUnit(unit().files[SERVICE]!.text);
    expect(service['Service.Type']).toBe('exec');
    expect(Object.keys(service).some((key) => key.startsWith('Install.') || key === 'Service.ExecStartPre')).toBe(
      false,
    );
    const timer = parseUnit(unit().files[TIMER]!.text);
    expect(timer).toMatchObject({ 'Timer.OnBootSec': '3min', 'Install.WantedBy': 'timers.target' });
  });

  it('runs the launcher by its absolute path, quoted if it has a blank', () => {
    const exec = (launcher: string) => parseUnit(unit(launcher).files[SERVICE]!.text)['Service.ExecStart'];
    expect(exec('/opt/headstart/headstart')).toBe('/opt/headstart/headstart boot record --settle 30min --keep 30');
    expect(exec('/opt/my tools/headstart')).toMatch(/^"\/opt\/my tools\/headstart" boot record/);
    for (const launcher of ['headstart', '/a%b/x', '/a"b', '/a\nExecStartPre=/bin/id', '/$HOME/x']) {
      expect(() => unit(launcher)).toThrow(UserError);
    }
  });

  it('can write only to its own folder and has no network', () => {
    expect(parseUnit(unit().files[SERVICE]!.text)).toMatchObject({
      'Service.ProtectSystem': 'strict',
      'Service.StateDirectory': 'headstart/boots',
      'Service.NoNewPrivileges': 'yes',
      'Service.PrivateNetwork': 'yes',
      'Service.RestrictAddressFamilies': 'AF_UNIX',
    });
  });

  it('is installed below a root and enabled as systemctl would, idempotently', () => {
    ensureInstalled(unit());
    ensureInstalled(unit());
    const folder = join(root, 'etc/systemd/system');
    expect(readFileSync(join(folder, 'headstart-boot-record.timer'), 'utf8')).toBe(unit().files[TIMER]!.text);
    const link = join(folder, 'timers.target.wants/headstart-boot-record.timer');
    expect(readlinkSync(link)).toBe('../headstart-boot-record.timer');
    expect(readFileSync(link, 'utf8')).toContain('[Timer]');
  });

  it('is uninstalled completely, idempotently', () => {
    ensureInstalled(unit());
    expect(ensureUninstalled(unit())).toHaveLength(3);
    expect(ensureUninstalled(unit())).toEqual([]);
  });

  it('fails with a UserError if the folder cannot be written', () => {
    writeFileSync(join(root, 'etc'), 'a file instead of a folder');
    expect(() => ensureInstalled(unit())).toThrow(UserError);
  });
});

it.each([
  ['/tmp/headstart/headstart', true],
  ['/opt/../var/tmp/headstart', true],
  ['/opt/tmp/headstart', false],
  ['/usr/bin/headstart', false],
])('refuses a launcher that the unit cannot see: %s', (launcher, isRefused) => {
  const refuse = () => refuseHiddenLauncher(launcher);
  if (isRefused) expect(refuse).toThrow('temporary folder');
  else expect(refuse).not.toThrow();
});
