import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { aBinary, aDeb, aLock } from '../../image/lock/lock.testing.ts';
import { readLock } from '../../image/lock/read-lock.ts';
import { runVerb } from '../testing.ts';
import { verb as hotfix } from './hotfix.ts';
import { replaced, useLocks } from './testing.ts';

const { before, lockFile, newer, place } = useLocks();

describe('image hotfix', () => {
  const make = (to: string, ...more: string[]) =>
    runVerb(hotfix, ['--from', before, '--to', to, '-o', place('hotfix.json'), ...more]);
  beforeEach(() => rmSync(place('hotfix.json'), { force: true }));

  it('writes the lock of the next patch', async () => {
    const { code, stderr } = await make(newer, '--allow', 'containerd');
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('image build --lock') });
    expect(readLock(place('hotfix.json')).base).toEqual({ ...aLock().base, patch: 1 });
  });

  it('denies what was not named, and writes nothing', async () => {
    expect(await make(newer)).toMatchObject({ code: 1, stderr: expect.stringContaining('--allow containerd') });
    expect(existsSync(place('hotfix.json'))).toBe(false);
  });

  it('says a downgrade, once it is allowed', async () => {
    const older = lockFile('older.json', replaced('containerd', aDeb('containerd', '1.6.0')));
    expect(await make(older, '--allow', 'containerd')).toMatchObject({ code: 1 });
    const { code, stdout } = await make(older, '--allow-downgrade', 'containerd', '--notes');
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('**containerd is downgraded**'),
    });
  });

  it('picks only what is named out of a lock of another day', async () => {
    const lock = { ...replaced('containerd', aDeb('containerd', '1.7')), base: { ...aLock().base, date: '2026.1120' } };
    const many = lockFile('many.json', { ...lock, artifacts: [...lock.artifacts, aBinary('debugger', '1.0')] });
    expect(await make(many, '--allow', 'containerd')).toMatchObject({ code: 1 });
    expect(await make(many, '--pick', '--allow', 'containerd')).toMatchObject({ code: 0 });
    const made = readLock(place('hotfix.json'));
    expect(made.base).toEqual({ ...aLock().base, patch: 1 });
    expect(made.artifacts.map(({ component }) => component)).not.toContain('debugger');
  });

  it('leaves a file alone that is there already, and with --dry-run all files', async () => {
    writeFileSync(place('hotfix.json'), 'mine');
    expect(await make(newer, '--allow', 'containerd')).toMatchObject({ code: 2 });
    expect(readFileSync(place('hotfix.json'), 'utf8')).toBe('mine');
    rmSync(place('hotfix.json'));
    expect(await make(newer, '--allow', 'containerd', '--dry-run')).toMatchObject({ code: 0 });
    expect(existsSync(place('hotfix.json'))).toBe(false);
  });
});
