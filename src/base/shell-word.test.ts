import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

const AWKWARD = ["it's", 'two words', '$HOME', '', '~', '~/x', 'a;b', '`id`', 'a\nb', '*', '"', '\\', '-n', '#x', '!1'];

describe('a word for a shell', () => {
  it('stays as it is where it is plain', () => {
    for (const word of ['pool1', '/etc/kube.config', 'USER@HOST', '--to=1.2.3', 'a-b_c'])
      expect(shellWord(word)).toBe(word);
  });

  it('is read back by a shell as it was', () => {
    const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${AWKWARD.map(shellWord).join(' ')}`]).toString();
    expect(printed.split('\0').slice(0, -1)).toEqual(AWKWARD);
  });
});
