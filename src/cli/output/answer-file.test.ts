import {
  chmodSync,
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
import { writeAnswerFile } from './answer-file.ts';

const CODE = 'area/unwritable';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-answer-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('writeAnswerFile', () => {
  it('creates a file with the mode of the umask, and keeps the mode of an existing file', () => {
    const file = join(folder, 'a');
    const before = process.umask(0o077);
    try {
      writeAnswerFile(file, 'new', CODE);
      expect(modeOf(file)).toBe('600');
      chmodSync(file, 0o640);
      writeAnswerFile(file, 'newer', CODE);
    } finally {
      process.umask(before);
    }
    expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['newer', '640']);
  });

  it('makes a private file unreadable for others, even if it existed', () => {
    const file = join(folder, 'a');
    writeFileSync(file, '', { mode: 0o644 });
    writeAnswerFile(file, 'secret', CODE, 'private');
    expect(modeOf(file)).toBe('600');
  });

  it('writes through a link, and into a device without replacing it', () => {
    writeFileSync(join(folder, 'real'), 'old');
    symlinkSync('real', join(folder, 'link'));
    writeAnswerFile(join(folder, 'link'), 'new', CODE);
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('new');
    writeAnswerFile('/dev/null', 'gone', CODE, 'private');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it.each([
    ['a full disk', () => '/dev/full', 'the disk is full'],
    ['a folder', () => folder, 'it is a folder'],
    ['a missing folder', () => join(folder, 'no', 'x'), 'its folder does not exist'],
  ])('says why %s cannot be written, and leaves nothing behind', (_, path, why) => {
    expect(() => writeAnswerFile(path(), 'x', CODE)).toThrow(
      expect.objectContaining({ message: `cannot write ${path()}: ${why}`, code: CODE }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});
