import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPlainFile } from './plain-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-file-'));
  writeFileSync(join(folder, 'a'), 'content');
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (name: string, maxBytes = 100) => {
  const bytes = readPlainFile(join(folder, name), maxBytes);
  return bytes && Buffer.from(bytes).toString();
};

describe('readPlainFile', () => {
  it('reads a file up to the size limit', () => {
    expect([read('a'), read('a', 7)]).toEqual(['content', 'content']);
    expect(() => read('a', 6)).toThrow(/a cannot be read: /);
  });

  it('returns undefined if the file or its folder does not exist', () => {
    expect([read('none'), read('a/b'), read('none/b')]).toEqual([undefined, undefined, undefined]);
  });

  it('refuses links and folders', () => {
    symlinkSync(join(folder, 'a'), join(folder, 'link'));
    symlinkSync(join(folder, 'none'), join(folder, 'dangling'));
    mkdirSync(join(folder, 'folder'));
    expect(() => read('link')).toThrow('it is a link');
    expect(() => read('dangling')).toThrow('it is a link');
    expect(() => read('folder')).toThrow('cannot be read');
  });
});
