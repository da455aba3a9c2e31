import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
const ID = '0d6ad1b5-0000-4000-8000-000000000001';
const text = `mode=check\nvm-id=${ID}\nmachine-id=ok\nkubelet=absent\n`;

describe('readCloneNote', () => {
  it('returns a note only on a clone', () => {
    expect(readCloneNote(root)).toBeUndefined();
    writeFileSync(path(), text);
    expect(readCloneNote(root)?.why).toEqual({
      code: 'clone/new-identity',
      detail: 'the clone check gave this machine a new identity',
    });
    writeFileSync(path(), `${text}ssh-keys=failed no space\n`);
    expect(readCloneNote(root)?.why.detail).toContain('failed: ssh-keys');
  });

  it('ignores a file that is not a result of the clone check', () => {
    writeFileSync(path(), 'hello\n');
    expect(readCloneNote(root)).toBeUndefined();
    rmSync(path());
    writeFileSync(join(root, 'elsewhere'), text);
    symlinkSync(join(root, 'elsewhere'), path());
    expect(readCloneNote(root)).toBeUndefined();
  });

  it('distinguishes a generation of the other machine from one of this machine', () => {
    writeFileSync(path(), text);
    const note = readCloneNote(root)!;
    const donors = [{ vmId: 'of a donor that was a clone' }, { vmId: undefined }, {}];
    expect(donors.map((active) => isFromBefore(note, active))).toEqual([true, true, true]);
    expect([isFromBefore(note, { vmId: ID }), isFromBefore(note, undefined)]).toEqual([false, false]);
  });
});
