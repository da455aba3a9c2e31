import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

const AWKWARD = ["it's", 'two words', '$HOME', '', '~', '~/x', 'a;b', '`id`', 'a\nb', '*', '"', '\\', '-n', '#x', '!1'];

describe('shellWord', () => {
  it('does not quote a plain word', () => {
    for (const word of ['pool1', '/etc/kube.config', 'USER@HOST', '--to=1.2.3', 'a-b_c'])
      expect(shellWord(word)).toBe(word);
  });

  it('returns a word that a shell reads back unchanged', () => {
    const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${AWKWARD.map(shellWord).join(' ')}`]).toString();
    expect(printed.split('\0').slice(0, -1)).toEqual(AWKWARD);
  });
});
