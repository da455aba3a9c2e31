import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Of } from '../testing.ts';
import { aLock, anyLock } from './lock.testing.ts';
import type { ImageLock } from './lock.ts';
import { parseLock, readLock, readLockIfExists, renderLock, writeLock } from './read-lock.ts';

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function edit(
  lock: ImageLock,
  change: (artifact: ImageLock['artifacts'][number]) => ImageLock['artifacts'][number],
): ImageLock {
  return { ...lock, artifacts: lock.artifacts.map(change) };
}

describe('a lock file', () => {
  it('survives writing, reading and rendering unchanged', () => {
    const file = join(top, 'image.lock.json');
    const lock = aLock();
    writeLock(file, lock);
    expect(readLock(file)).toEqual(lock);
    expect(renderLock(readLock(file))).toBe(readFileSync(file, 'utf8'));
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it('survives rendering and parsing for any lock', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        expect(parseLock(renderLock(lock), 'x')).toEqual(lock);
      }),
    );
  });

  it('is undefined, or an error with the next command, if it does not exist', () => {
    expect(readLockIfExists(join(top, 'none'))).toBeUndefined();
    expect(() => readLockIfExists(top)).toThrow(expect.objectContaining({ code: 'image/bad-lock' }));
    expect(() => readLock(join(top, 'none'))).toThrow(
      expect.objectContaining({ code: 'image/no-lock', next: expect.stringContaining('image lock') }),
    );
  });

  it('reports an error if it cannot be written', () => {
    expect(() => writeLock(join(top, 'no', 'such', 'folder'), {} as ImageLock)).toThrow(
      expect.objectContaining({ code: 'image/lock-not-written' }),
    );
  });

  it.each([
    ['{', 'is not JSON'],
    ['', 'is empty'],
    ['{"kind":"ImageLock"}', 'artifacts: is missing'],
    ['{}', 'x.json is not a lock'],
    ['{"name":"a package"}', 'x.json is not a lock'],
    ['[]', 'x.json is not a lock'],
    ['null', 'x.json is not a lock'],
  ])('is refused if it contains %j', (text, why) => {
    expect(() => parseLock(text, 'x.json')).toThrow(why);
  });

  it('is refused for unsafe paths, duplicates, wrong hashes and unknown fields', () => {
    const lock = aLock();
    const escaping = edit(lock, (artifact) => ({ ...artifact, path: '../../etc/passwd' }));
    expect(() => parseLock(renderLock(escaping), 'x')).toThrow('artifacts[0].path: is not a path below its origin');
    const outside = edit(lock, (artifact) => ({ ...artifact, install: { to: '/usr/../../etc' } }));
    expect(() => parseLock(renderLock(outside), 'x')).toThrow('artifacts[0].install.to: is not an absolute path');
    const twice = { ...lock, artifacts: [...lock.artifacts, lock.artifacts[0]!] };
    expect(() => parseLock(renderLock(twice), 'x')).toThrow('is listed twice');
    const file = {
      component: 'motd',
      to: '/etc/motd',
      mode: 0o644,
      licence: 'MIT',
      content: 'a',
      sha256: sha256Of('a'),
    };
    expect(parseLock(renderLock({ ...lock, files: [file] }), 'x').files).toEqual([file]);
    for (const other of [
      { ...file, component: 'other' },
      { ...file, to: '/etc/other' },
    ])
      expect(() => parseLock(renderLock({ ...lock, files: [file, other] }), 'x')).toThrow('is listed twice');
    const swapped = { ...lock, files: [{ ...file, content: 'b' }] };
    expect(() => parseLock(renderLock(swapped), 'x')).toThrow('its content does not match its sha256');
    writeFileSync(join(top, 'more.json'), renderLock({ ...lock, extra: 1 } as ImageLock));
    expect(() => readLock(join(top, 'more.json'))).toThrow('extra: is not a field');
  });
});
