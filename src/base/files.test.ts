import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomic } from './files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('writeFileAtomic', () => {
  it('writes the bytes with the given mode, for any umask', () => {
    const before = process.umask(0o077);
    try {
      writeFileAtomic(join(folder, 'a'), Uint8Array.of(0, 255, 10), 0o640);
    } finally {
      process.umask(before);
    }
    expect([...readFileSync(join(folder, 'a'))]).toEqual([0, 255, 10]);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o640);
  });

  it('replaces an existing file and leaves no temporary file', () => {
    writeFileSync(join(folder, 'a'), 'old and longer');
    writeFileAtomic(join(folder, 'a'), 'new', 0o600);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('replaces a link instead of writing through it', () => {
    writeFileSync(join(folder, 'victim'), 'untouched');
    symlinkSync('victim', join(folder, 'a'));
    writeFileAtomic(join(folder, 'a'), 'new', 0o600);
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('untouched');
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
  });

  it('leaves the folder unchanged if the file cannot be replaced', () => {
    mkdirSync(join(folder, 'a', 'full'), { recursive: true });
    expect(() => writeFileAtomic(join(folder, 'a'), 'new', 0o600)).toThrow();
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('reports why the file could not be replaced, also when its temporary file is gone', () => {
    class Interrupted extends Uint8Array {
      override get length(): number {
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        return 0;
      }
    }
    expect(() => writeFileAtomic(join(folder, 'a'), new Interrupted(), 0o600)).toThrow(/ENOENT.* rename /);
  });

  it('throws if the folder does not exist', () => {
    expect(() => writeFileAtomic(join(folder, 'none', 'a'), 'x', 0o600)).toThrow(/ENOENT/);
  });
});
