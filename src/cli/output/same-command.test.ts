import { describe, expect, it } from 'vitest';
import { sameCommand } from './same-command.ts';

describe('sameCommand', () => {
  const typed = ['boot', 'chain', 'cloud-int.service', '-i', 'my boot.tar.gz', '--boot', '-1', '--json'];

  it('keeps every option and replaces one word', () => {
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

  it('adds words before --, and does not change the words after it', () => {
    expect(sameCommand(['pool', 'exec', 'a', '--', 'ls', 'a'], { replace: { a: 'b' }, add: ['--json'] })).toBe(
      'headstart pool exec b --json -- ls a',
    );
  });

  it.each([
    [['boot', 'chain', 'boot'], 'boot', 'headstart boot chain x'],
    [['boot', 'systemd', 'critical-chain', 'systemd'], 'systemd', 'headstart boot systemd critical-chain x'],
    [['boot', 'chain', '--', 'cloud-finl'], 'cloud-finl', 'headstart boot chain -- x'],
  ])('replaces in %j the argument %s, never a word of the verb', (words, wrong, expected) => {
    expect(sameCommand(words, { replace: { [wrong]: 'x' } })).toBe(expected);
  });

  it('quotes words for a shell', () => {
    expect(sameCommand(['boot', 'chain', '', "it's $HOME"])).toBe("headstart boot chain '' 'it'\\''s $HOME'");
  });
});
