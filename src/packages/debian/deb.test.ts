import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PRODUCT } from '../testing.ts';
import { debOf, installedKib, renderControl } from './deb.ts';
import { type DebianContent, debianControl, debianFiles } from './package-files.ts';

const CONTENT: DebianContent = {
  product: PRODUCT,
  architecture: 'amd64',
  executable: Buffer.from('#!/bin/sh\n'),
  licences: 'L',
  manPages: new Map([['headstart.1', '.TH HEADSTART 1\n']]),
  changelog: '# Changelog\n',
};
const parts = () => ({ control: debianControl(CONTENT), files: debianFiles(CONTENT) });

it('a field of several lines is indented', () => {
  expect(renderControl({ Package: 'a', Description: 'short\nlong\n.\nmore' })).toBe(
    'Package: a\nDescription: short\n long\n .\n more\n',
  );
});

it('the installed size is rounded up for each file', () => {
  const file = (bytes: number) => ({ path: `${bytes}`, bytes: Buffer.alloc(bytes), isExecutable: false });
  expect(installedKib([file(1), file(1024), file(1025)])).toBe(4);
});

it('the same files give the same bytes', () => {
  expect(Buffer.compare(debOf(parts()), debOf({ ...parts(), files: parts().files.toReversed() }))).toBe(0);
});

describe.skipIf(spawnSync('dpkg-deb', ['--version']).error !== undefined)('dpkg-deb', () => {
  it('reads the package, its fields and its files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'headstart-deb-'));
    try {
      const deb = join(folder, 'x.deb');
      writeFileSync(deb, debOf(parts()));
      const run = (...args: string[]) => {
        const { stdout, stderr, status } = spawnSync('dpkg-deb', args, { encoding: 'utf8' });
        expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
        return stdout;
      };
      expect(run('--field', deb, 'Package', 'Version', 'Architecture', 'Installed-Size')).toBe(
        'Package: headstart\nVersion: 1.2.3\nArchitecture: amd64\nInstalled-Size: 10\n',
      );
      const listed = run('--contents', deb).trim().split('\n');
      expect(listed[0]).toMatch(/^drwxr-xr-x root\/root .* \.\/$/);
      expect(listed.find((line) => line.endsWith(' ./usr/bin/headstart'))).toMatch(/^-rwxr-xr-x .* 1985-10-2\d /);
      run('--extract', deb, join(folder, 'root'));
      run('--control', deb, join(folder, 'control'));
      expect(statSync(join(folder, 'root/usr/bin/headstart')).mode & 0o777).toBe(0o755);
      const sums = spawnSync('md5sum', ['--check', '--quiet', '../control/md5sums'], { cwd: join(folder, 'root') });
      expect({ status: sums.status, text: sums.stdout.toString() }).toEqual({ status: 0, text: '' });
      expect(readFileSync(join(folder, 'root/usr/share/zsh/vendor-completions/_headstart'), 'utf8')).toContain(
        "program='/usr/bin/headstart'",
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
