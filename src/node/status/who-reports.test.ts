import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whoReports } from './who-reports.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-root-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('whoReports', () => {
  it('returns headstart if no other program reports', () => {
    expect(whoReports(root)).toBe('headstart');
  });

  it('returns cloud-init if it is installed and not disabled in one of its two ways', () => {
    write('usr/bin/cloud-init');
    write('proc/cmdline', 'console=ttyS0 root=/dev/vda\n');
    expect(whoReports(root)).toBe('cloud-init');
    write('proc/cmdline', 'console=ttyS0 cloud-init=disabled root=/dev/vda\n');
    expect(whoReports(root)).toBe('headstart');
    write('proc/cmdline', 'console=ttyS0\n');
    write('etc/cloud/cloud-init.disabled');
    expect(whoReports(root)).toBe('headstart');
  });

  it('returns the guest agent if it is enabled, without following the link', () => {
    const wants = join(root, 'etc/systemd/system/multi-user.target.wants');
    mkdirSync(wants, { recursive: true });
    symlinkSync('/lib/systemd/system/walinuxagent.service', join(wants, 'walinuxagent.service'));
    expect(whoReports(root)).toBe('guest-agent');
  });
});
