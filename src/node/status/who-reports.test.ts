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

describe('who tells the platform', () => {
  it('is headstart where nobody else is there', () => {
    expect(whoReports(root)).toBe('headstart');
  });

  it('is cloud-init where it is, unless it is switched off in either of its ways', () => {
    write('usr/bin/cloud-init');
    write('proc/cmdline', 'console=ttyS0 root=/dev/vda\n');
    expect(whoReports(root)).toBe('cloud-init');
    write('proc/cmdline', 'console=ttyS0 cloud-init=disabled root=/dev/vda\n');
    expect(whoReports(root)).toBe('headstart');
    write('proc/cmdline', 'console=ttyS0\n');
    write('etc/cloud/cloud-init.disabled');
    expect(whoReports(root)).toBe('headstart');
  });

  it('is the agent where one is enabled; the link leads out of the root and is not followed', () => {
    const wants = join(root, 'etc/systemd/system/multi-user.target.wants');
    mkdirSync(wants, { recursive: true });
    symlinkSync('/lib/systemd/system/walinuxagent.service', join(wants, 'walinuxagent.service'));
    expect(whoReports(root)).toBe('guest-agent');
  });
});
