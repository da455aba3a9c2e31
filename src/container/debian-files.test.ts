import { describe, expect, it } from 'vitest';
import { type DebianPackage, debianFiles } from './debian-files.ts';
import { IMAGE_PLATFORMS } from './platform.ts';

const LIBRARIES = ['libm.so.6', 'libgcc_s.so.1', 'libdl.so.2', 'libpthread.so.0', 'libselinux.so.1'];

function packageWith(paths: string[]): DebianPackage {
  return { name: 'p', version: '1', files: new Map(paths.map((path) => [path, Buffer.from(path)])) };
}

/** As in bookworm, where the short names are links to the long names. */
const bookworm = [
  packageWith([
    'lib/x86_64-linux-gnu/ld-linux-x86-64.so.2',
    'lib/x86_64-linux-gnu/libc.so.6',
    ...LIBRARIES.map((name) => `lib/x86_64-linux-gnu/${name}`),
    'usr/lib/x86_64-linux-gnu/libpcre2-8.so.0.11.2',
    'usr/share/gdb/auto-load/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30-gdb.py',
    'usr/share/bash-completion/completions/nsenter',
    'usr/bin/nsenter',
    'usr/share/doc/libc6/copyright',
    'usr/share/doc/libc6/README',
    'usr/share/ca-certificates/mozilla/B.crt',
    'usr/share/ca-certificates/mozilla/A.crt',
  ]),
  packageWith(['usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30']),
];

describe('debianFiles', () => {
  const files = new Map(debianFiles(bookworm, IMAGE_PLATFORMS[0]).map((file) => [file.path, file]));
  const textOf = (path: string) => Buffer.from(files.get(path)?.bytes ?? []).toString();

  it('puts the linker where programs expect it, and makes it executable', () => {
    expect(textOf('lib64/ld-linux-x86-64.so.2')).toBe('lib/x86_64-linux-gnu/ld-linux-x86-64.so.2');
    expect(files.get('lib64/ld-linux-x86-64.so.2')?.isExecutable).toBe(true);
  });

  it('includes a library under the name that programs load, for any file name in the package', () => {
    expect(textOf('lib/x86_64-linux-gnu/libstdc++.so.6')).toBe('usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30');
    expect(textOf('lib/x86_64-linux-gnu/libpcre2-8.so.0')).toBe('usr/lib/x86_64-linux-gnu/libpcre2-8.so.0.11.2');
    expect(textOf('usr/bin/nsenter')).toBe('usr/bin/nsenter');
  });

  it('creates one bundle of all certificates, sorted by name', () => {
    expect(textOf('etc/ssl/certs/ca-certificates.crt')).toBe(
      'usr/share/ca-certificates/mozilla/A.crtusr/share/ca-certificates/mozilla/B.crt',
    );
  });

  it('includes the licences, but no files that are not needed', () => {
    expect([...files.keys()].filter((path) => path.startsWith('usr/share'))).toEqual(['usr/share/doc/libc6/copyright']);
    expect(files.size).toBe(1 + 8 + 1 + 1 + 1);
  });

  it('names a library that no package contains', () => {
    expect(() => debianFiles([packageWith([])], IMAGE_PLATFORMS[0])).toThrow('ld-linux-x86-64.so.2');
  });
});
