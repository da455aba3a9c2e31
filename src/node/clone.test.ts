import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFromBefore, readCloneNote } from './clone.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hs-'));
  mkdirSync(join(root, 'var/lib/headstart/clone-check'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));
const path = () => join(root, 'var/lib/headstart/clone-check/result');
const text = 'vm-id=0d6ad1b5-0000-4000-8000-000000000001\nmachine-id=ok\nkubelet=absent\n';

describe('the note of the clone check', () => {
  it('is there on a machine that took a disk over, and on no other', () => {
    expect(readCloneNote(root)).toBeUndefined();
    writeFileSync(path(), text);
    expect(readCloneNote(root)?.why).toEqual({
      code: 'clone/new-identity',
      detail: 'this machine was given an identity of its own',
    });
    writeFileSync(path(), `${text}ssh-keys=failed no space\n`);
    expect(readCloneNote(root)?.why.detail).toContain('not done: ssh-keys');
  });

  it('is not believed when it is something else', () => {
    writeFileSync(path(), 'hello\n');
    expect(readCloneNote(root)).toBeUndefined();
    rmSync(path());
    writeFileSync(join(root, 'elsewhere'), text);
    symlinkSync(join(root, 'elsewhere'), path());
    expect(readCloneNote(root)).toBeUndefined();
  });

  it('tells what was applied to the other machine from what was applied to this one', () => {
    writeFileSync(path(), text);
    utimesSync(path(), 1000, 1000);
    const note = readCloneNote(root)!;
    expect([
      isFromBefore(note, { atMs: 999_000 }),
      isFromBefore(note, { atMs: 1_001_000 }),
      isFromBefore(note, undefined),
    ]).toEqual([true, false, false]);
  });
});
