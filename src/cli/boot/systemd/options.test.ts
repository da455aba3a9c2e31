import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { testDeps } from '../../testing.ts';
import { compatOf, isColoured, printCompat, printLines } from './options.ts';
import { boot, expectRefused, FIXTURES } from './testing.ts';

test('--compat before a unit is still --compat and a unit', async () => {
  const model = join(FIXTURES, 'models/r00');
  const { stdout } = await boot('critical-chain --compat multi-user.target', '-i', model);
  expect(stdout).toMatch(/\n\nmulti-user\.target @/);
});

test('a version of systemd that is not known is refused', () =>
  expectRefused('time --compat=12', 'boot/compat-version'));

describe('--compat', () => {
  it('is not given: arguments are arguments', () => {
    expect(compatOf({}, ['a.service'])).toEqual({ args: ['a.service'] });
  });

  it.each(['252', 'v252', '252.5-1'])('takes %s as a version', (compat) => {
    const { behaviour, args } = compatOf({ compat }, ['a.service']);
    expect(behaviour).toEqual(compatOf({ compat: '252' }, []).behaviour);
    expect(args).toEqual(['a.service']);
  });

  it('takes a unit behind it as the first argument, and the newest version', () => {
    expect(compatOf({ compat: 'a.service' }, ['b.service'])).toEqual({
      behaviour: compatOf({ compat: true }, []).behaviour,
      args: ['a.service', 'b.service'],
    });
  });
});

describe('what is printed', () => {
  it('keeps the streams and the exit code of the real tool apart', () => {
    const { ran, deps } = testDeps({});
    expect(printCompat({ stdout: 'a', stderr: 'b', exitCode: 1 }, deps)).toBe(1);
    expect(ran).toMatchObject({ stdout: 'a', stderr: 'b' });
  });

  it('keeps its lines, and no control character within one', () => {
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
