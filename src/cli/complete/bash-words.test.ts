import { describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { type Quote, quotedFor, readBashLine, unquoted } from './bash-words.ts';

/** Calls it like bash does: with the pieces, the whole line, and the part that readline replaces. */
const read = (pieces: string[], line: string, text: string) =>
  readBashLine(['headstart', ...pieces], `headstart ${line}`, text);

describe('readBashLine', () => {
  it.each([
    [['boot', ''], 'boot ', '', { words: ['boot'], current: '', kept: 0 }],
    [['--format', '=', 'ch'], '--format=ch', 'ch', { words: [], current: '--format=ch', kept: 9 }],
    [['--format', '='], '--format=', '', { words: [], current: '--format=', kept: 9 }],
    [['--format', 'ch'], '--format ch', 'ch', { words: ['--format'], current: 'ch', kept: 0 }],
    [['modprobe', '@', 'd'], 'modprobe@d', 'd', { words: [], current: 'modprobe@d', kept: 9 }],
    [['a', '@', 'b', 'c'], 'a @b c', 'c', { words: ['a', '@b'], current: 'c', kept: 0 }],
    [['-i', '"my boot"', ''], '-i "my boot" ', '', { words: ['-i', 'my boot'], current: '', kept: 0 }],
    [['-i', 'my\\ b'], '-i my\\ b', 'my\\ b', { words: ['-i'], current: 'my b', kept: 0 }],
    [['"my b'], '"my b', 'my b', { words: [], current: 'my b', quote: '"', kept: 0 }],
    [["'a\\x2d"], "'a\\x2d", 'a\\x2d', { words: [], current: 'a\\x2d', quote: "'", kept: 0 }],
    [['boot', 'chain'], 'boot chain', 'ch', { words: ['boot'], current: 'ch', kept: 0 }],
    [['boot', '>', 'o'], 'boot > o', 'o', { isRedirected: true }],
    [['boot', '2', '>', 'o', 'c'], 'boot 2>o c', 'c', { words: ['boot'], current: 'c', isRedirected: false }],
  ])('reads %j as the program would get it', (pieces, line, text, expected) => {
    expect(read(pieces, line, text)).toMatchObject(expected);
  });

  it('joins break characters to words if the line does not match', () => {
    expect(readBashLine(['headstart', '--format', '=', 'ch'], '', 'ch')).toMatchObject({ current: '--format=ch' });
    expect(readBashLine(['headstart', '--format', '=', 'csv', ''], '', '')).toMatchObject({ words: ['--format=csv'] });
  });
});

describe('quotedFor', () => {
  const values = [
    String.raw`dev-disk-by\x2duuid.device`,
    'modprobe@drm.service',
    'dev-0000:00:01.0.device',
    'a.service b.service',
    `it's "$HOME" \`id\` !x ~ * ? [a] {b} (c) <d> | & ; # é`,
  ];
  const quotes: Quote[] = ['', "'", '"'];

  it('quotes a value so that bash returns it unchanged, for every kind of quote', async () => {
    const written = quotes.flatMap((quote) => values.map((value) => `${quote}${quotedFor(value, quote)}${quote}`));
    const ran = await runCommand(['bash', '-c', `printf '%s\\n' ${written.join(' ')}`]);
    expect(ran.stdout.toString().trimEnd().split('\n')).toEqual([...values, ...values, ...values]);
  });

  it('is the inverse of unquoted', () => {
    for (const quote of quotes)
      for (const value of values) expect(unquoted(quotedFor(value, quote), quote)).toEqual({ value, quote });
  });
});
