import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../files/node-files.ts';
import { installedIn, installProblem, unpackArgv } from './unpack-base.ts';

const STATUS = `Package: libc6
Status: install ok installed
Version: 2.36-9
Description: words

Package: gone
Status: deinstall ok config-files
Version: 1

Package: bash
Status: install ok installed
Version: 5.2-2
`;

describe('the installed packages', () => {
  it('are those that dpkg lists as installed, without removed ones', () => {
    expect([...installedIn(STATUS)]).toEqual([
      ['libc6', '2.36-9'],
      ['bash', '5.2-2'],
    ]);
  });

  it('must be exactly the locked ones', () => {
    const installed = installedIn(STATUS);
    const [libc, bash] = [
      { name: 'libc6', version: '2.36-9' },
      { name: 'bash', version: '5.2-2' },
    ];
    expect(installProblem([libc, bash], installed)).toBeUndefined();
    expect(installProblem([libc, bash, { name: 'gone', version: '1' }], installed)).toBe('not installed: gone 1');
    expect(installProblem([libc, { ...bash, version: '5.3' }], installed)).toBe('not installed: bash 5.3');
    expect(installProblem([libc], installed)).toBe('installed but not locked: bash');
  });
});

it('unpackArgv disables the network, fixes the time, and keeps copyright files', () => {
  const argv = unpackArgv(
    { packages: ['a'], architecture: 'amd64', nodeFiles: nodeFiles(new Set()), epochSec: 1234 },
    { target: '/t', aptConf: '/c' },
  );
  expect(argv.slice(0, 2)).toEqual(['unshare', '--net']);
  expect(argv).toContain('SOURCE_DATE_EPOCH=1234');
  expect(argv).toContain('--dpkgopt=path-include=/usr/share/doc/*/copyright');
  expect(argv.slice(-3)).toEqual(['', '/t', '-']);
});
