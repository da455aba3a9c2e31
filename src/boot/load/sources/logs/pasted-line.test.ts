import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIXTURES } from '../../../compat/systemd/testing.ts';
import { memoryInput } from '../../input.ts';
import { analyzeBlameSource, analyzeCriticalChainSource, analyzeTimeSource } from '../systemd/analyze-text.ts';
import { pastedLine, withoutLabels } from './pasted-line.ts';

const unitsIn = (text: string) => analyzeCriticalChainSource.parse(memoryInput('paste.txt', text))[0]?.units ?? [];

const MANGLED: [string, (text: string) => string][] = [
  ['fenced in markdown', (text) => `See:\n\n\`\`\`console\n${text}\`\`\`\nThanks!\n`],
  ['indented by four blanks', (text) => text.replace(/^/gm, '    ')],
  ['quoted in a mail', (text) => text.replace(/^/gm, '> ')],
  ['with colours', (text) => text.replace(/^(\W*)(\S+ @.*\+.*)$/gm, '$1\u001b[0;1;31m$2\u001b[0m')],
  ['with CR LF line ends', (text) => text.replaceAll('\n', '\r\n')],
  ['with no-break spaces', (text) => text.replace(/^ +/gm, (blanks) => '\u00a0'.repeat(blanks.length))],
  ['with ASCII glyphs', (text) => text.replaceAll('└─', '`-')],
  ['with glyphs turned to blanks', (text) => text.replaceAll('└─', '  ')],
  ['with glyphs removed', (text) => text.replaceAll('└─', '')],
  ['with glyphs as Windows-1252', (text) => text.replaceAll('└─', 'â””â”€')],
  ['with glyphs as Latin-1', (text) => text.replaceAll('└─', 'â\u0094\u0094â\u0094\u0080')],
  ['with glyphs stripped to ââ', (text) => text.replaceAll('└─', 'ââ')],
  ['with glyphs as replacement characters', (text) => text.replaceAll('└─', '\ufffd\ufffd')],
  ['in UTF-8 bytes read as code page 437', (text) => text.replaceAll('└─', 'ΓööΓöÇ')],
];

test.each(MANGLED)('edge case 42: reads a listing %s like the original', (_, mangle) => {
  const names = ['cloud-final', 'docker', 'preprovisioned', 'walinuxagent'];
  for (const name of names) {
    const text = readFileSync(join(FIXTURES, `seeds/${name}.critical-chain.txt`), 'utf8');
    expect(unitsIn(mangle(text))).toEqual(unitsIn(text));
    const input = memoryInput('x', mangle(text));
    const confidence = analyzeCriticalChainSource.recognise(input);
    expect(confidence).toBeGreaterThan(0.3);
    for (const other of [analyzeTimeSource, analyzeBlameSource])
      expect(other.recognise(input)).toBeLessThan(confidence);
  }
});

test.each([
  ['```console', { isFence: true, isPrompt: false }],
  ['user@host:~$ systemd-analyze critical-chain', { isFence: false, isPrompt: true }],
  ['└─systemd-analyze.service @3s', { isFence: false, isPrompt: false }],
  ['\u001b]0;title\u0007\u001b[31ma.service\u001b[0m  ', { text: 'a.service' }],
  ['\ta', { text: '        a' }],
])('pastedLine cleans %j', (raw, expected) => {
  expect(pastedLine(raw, 7)).toMatchObject({ ...expected, number: 7 });
});

test('withoutLabels removes only the labels that headstart appends', () => {
  expect(withoutLabels('a.service @3s [wait: for a lease] [failed]')).toBe('a.service @3s');
  expect(withoutLabels('a[1].service @3s')).toBe('a[1].service @3s');
});
