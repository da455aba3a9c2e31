import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { testDeps } from '../../testing.ts';
import { compatOf, isColoured, printCompat, printLines } from './options.ts';
import { boot, expectRefused, FIXTURES } from './testing.ts';

test('--compat UNIT is read as --compat and a unit', async () => {
  const model = join(FIXTURES, 'models/r00');
  const { stdout } = await boot('critical-chain --compat multi-user.target', '-i', model);
  expect(stdout).toMatch(/\n\nmulti-user\.target @/);
});

test('an unknown version of systemd is refused', () => expectRefused('time --compat=12', 'boot/compat-version'));

describe('--compat', () => {
  it('leaves the arguments unchanged if it is not given', () => {
    expect(compatOf({}, ['a.service'])).toEqual({ args: ['a.service'] });
  });

  it.each(['252', 'v252', '252.5-1', '262', '262.1-1'])('accepts %s as a version', (compat) => {
    const { behaviour, args } = compatOf({ compat }, ['a.service']);
    const name = compat.replace(/^v|-1$/g, '');
    expect(behaviour).toEqual({ ...compatOf({ compat: name }, []).behaviour, name });
    expect(args).toEqual(['a.service']);
  });

  it('treats a point release like its version, except for the differences between the two', () => {
    const behaviour = (compat: string) => ({ ...compatOf({ compat }, []).behaviour, name: '' });
    expect(behaviour('252.5')).toEqual(behaviour('252'));
    expect(behaviour('262.1')).toEqual({ ...behaviour('262'), padsMicros: true });
  });

  it('reads a following unit as the first argument, and uses the newest version', () => {
    expect(compatOf({ compat: 'a.service' }, ['b.service'])).toEqual({
      behaviour: compatOf({ compat: true }, []).behaviour,
      args: ['a.service', 'b.service'],
    });
  });
});

describe('the output of systemd-analyze verbs', () => {
  it('has the streams and the exit code of the real tool', () => {
    const { ran, deps } = testDeps({});
    expect(printCompat({ stdout: 'a', stderr: 'b', exitCode: 1 }, deps)).toBe(1);
    expect(ran).toMatchObject({ stdout: 'a', stderr: 'b' });
  });

  it('keeps line breaks, and replaces other control characters', () => {
    const { ran, deps } = testDeps({});
    printLines(deps, 'a\u001b[2J\nb\n');
    expect(ran.stdout).toBe('a\ufffd[2J\nb\n');
  });

  it('is coloured on a terminal only', () => {
    expect(isColoured(testDeps({ env: { FORCE_COLOR: '1' } }).deps)).toBe(false);
    expect(isColoured(testDeps({ columns: 80, env: { NO_COLOR: '1' } }).deps)).toBe(false);
    expect(isColoured(testDeps({ columns: 80, env: { TERM: 'xterm' } }).deps)).toBe(true);
  });
});
