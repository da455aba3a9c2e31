import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { errorInSamePlace, inSamePlace, sameCommand } from './same-command.ts';

describe('sameCommand', () => {
  const typed = ['boot', 'chain', 'cloud-int.service', '-i', 'my boot.tar.gz', '--boot', '-1', '--json'];

  it('keeps every option and replaces the one word', () => {
    expect(sameCommand(typed, { replace: { 'cloud-int.service': 'cloud-init.service' } })).toBe(
      "headstart boot chain cloud-init.service -i 'my boot.tar.gz' --boot -1 --json",
    );
  });

  it.each([
    ['--input=a.xz', '--input=-'],
    ['-ia.xz', '-i-'],
    ['a.xz', '-'],
  ])('replaces a value written as %s', (given, expected) => {
    expect(sameCommand(['boot', 'timeline', given], { replace: { 'a.xz': '-' } })).toBe(
      `headstart boot timeline ${expected}`,
    );
  });

  it('adds words where they are still options, and leaves what comes after -- alone', () => {
    expect(sameCommand(['pool', 'exec', 'a', '--', 'ls', 'a'], { replace: { a: 'b' }, add: ['--json'] })).toBe(
      'headstart pool exec b --json -- ls a',
    );
  });

  it.each([
    [['boot', 'chain', 'boot'], 'boot', 'headstart boot chain x'],
    [['boot', 'systemd', 'critical-chain', 'systemd'], 'systemd', 'headstart boot systemd critical-chain x'],
    [['boot', 'chain', '--', 'cloud-finl'], 'cloud-finl', 'headstart boot chain -- x'],
  ])('of %j replaces the argument %s, never a word of the verb', (words, wrong, expected) => {
    expect(sameCommand(words, { replace: { [wrong]: 'x' } })).toBe(expected);
  });

  it('writes a word so that a shell takes it as it was', () => {
    expect(sameCommand(['boot', 'chain', '', "it's $HOME"])).toBe("headstart boot chain '' 'it'\\''s $HOME'");
  });
});

describe('inSamePlace', () => {
  it.each([
    ['--home', ['pool', 'show', 'x', '--home', '/a b'], 'headstart pool list', "headstart pool list --home '/a b'"],
    ['--home=', ['cluster', 'up', '--home=/h'], 'see `headstart pool list`', 'see `headstart pool list --home /h`'],
    [
      'before the words that are not its own',
      ['pool', 'ssh', 'x', '--home', 'h'],
      'headstart pool exec x -- CMD; headstart pool logs x',
      'headstart pool exec --home h x -- CMD; headstart pool logs --home h x',
    ],
    [
      'where it is said already',
      ['pool', 'show', '--home', 'h'],
      'headstart pool list --home h',
      'headstart pool list --home h',
    ],
    [
      'for image verbs that look into a gallery',
      ['image', 'promote', 'x', '--vms', 'qemu', '--gallery', 'g'],
      '`headstart image list` shows them; `headstart image build` makes one',
      '`headstart image list --vms qemu --gallery g` shows them; `headstart image build` makes one',
    ],
    ['--root', ['node', 'plan', '--root', 'r'], 'headstart node history', 'headstart node history --root r'],
    ['of no command', ['pool', 'list', '--home', 'h'], 'free some space', 'free some space'],
    [
      'that is an argument of another program',
      ['pool', 'exec', 'x', '--', 'y', '--home', 'h'],
      'headstart pool list',
      'headstart pool list',
    ],
  ])('keeps %s', (_, typed, hint, expected) => {
    expect(inSamePlace(hint, typed)).toBe(expected);
  });

  it('is applied to the next step of an error, and leaves other errors as they are', () => {
    const error = new UserError('x', { code: 'pool/x', next: 'headstart pool list' });
    expect(errorInSamePlace(error, ['pool', 'show', '--home', 'h'])).toMatchObject({
      code: 'pool/x',
      next: 'headstart pool list --home h',
    });
    const bug = new Error('y');
    expect(errorInSamePlace(bug, ['pool', 'show', '--home', 'h'])).toBe(bug);
  });
});
