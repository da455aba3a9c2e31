import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { criticalChain } from '../../../compat/systemd/critical-chain.ts';
import { compatCriticalChain } from '../../../compat/systemd/exact/critical-chain.ts';
import { renderChain } from '../../../compat/systemd/render-chain.ts';
import { anyBoot, FIXTURES } from '../../../compat/systemd/testing.ts';
import { behaviourOf } from '../../../compat/systemd/versions.ts';
import { memoryInput } from '../../input.ts';
import { analyzeBlameSource, analyzeCriticalChainSource, analyzeTimeSource, parseAnalyzeText } from './analyze-text.ts';

const SEED = readFileSync(join(FIXTURES, 'seeds/cloud-final.critical-chain.txt'), 'utf8');
const SOURCES = [analyzeTimeSource, analyzeBlameSource, analyzeCriticalChainSource];
const parse = (text: string) => parseAnalyzeText(memoryInput('paste.txt', text));
const unitsIn = (text: string) => parse(text).find((found) => found.kind === 'analyze-critical-chain')?.units ?? [];
const kindOf = (text: string) => {
  const input = memoryInput('x', text);
  return SOURCES.map((source) => ({ kind: source.kind, sure: source.recognise(input) })).sort(
    (a, b) => b.sure - a.sure,
  )[0];
};

test('a listing gives units on the userspace clock, each waiting for the one below it', () => {
  const units = unitsIn(SEED);
  expect(units).toHaveLength(14);
  expect(units[3]).toMatchObject({
    name: 'cloud-config.service',
    activatingUs: 31_392_000,
    activatedUs: 33_891_000,
    after: ['basic.target'],
  });
  expect(units[4]).toMatchObject({ name: 'basic.target', activatingUs: 31_204_000, activatedUs: 31_204_000 });
});

test('edge case 38: a root that took time has no @ and begins when the target it waits for is up', () => {
  expect(unitsIn(SEED)[0]).toMatchObject({
    name: 'cloud-final.service',
    activatingUs: 33_929_000,
    activatedUs: 45_632_000,
    after: ['multi-user.target'],
  });
});

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

test.each(MANGLED)('edge case 42: a listing %s is read as if nothing had happened', (_, mangle) => {
  const names = ['cloud-final', 'docker', 'preprovisioned', 'walinuxagent'];
  for (const name of names) {
    const text = readFileSync(join(FIXTURES, `seeds/${name}.critical-chain.txt`), 'utf8');
    expect(unitsIn(mangle(text))).toEqual(unitsIn(text));
    expect(kindOf(mangle(text))).toMatchObject({ kind: 'analyze-critical-chain', sure: expect.any(Number) });
    expect(kindOf(mangle(text))!.sure).toBeGreaterThan(0.3);
  }
});

test('edge case 42: ellipsised names and lines cut by a pager are kept as far as they go, with a warning', () => {
  const text =
    'graphical.target @5s\n└─a-very-long-na… @3s +1s\n  └─next.service @1s +1.2>\n    └─cut-off-na>\nlines 1-4\n';
  const [found] = parse(text);
  expect(found!.units).toMatchObject([
    { name: 'graphical.target', activatingUs: 5e6 },
    { name: 'a-very-long-na…', activatingUs: 3e6, activatedUs: 4e6 },
    { name: 'next.service', activatingUs: 1e6, activatedUs: 1e6 },
    { name: 'cut-off-na…', activatingUs: 0 },
  ]);
  expect(found!.notes[0]!.text).toBe('paste.txt: line 2 is cut off: what is missing is not known (and 2 more like it)');
});

test('branches, dots and both glyph sets give the same graph', () => {
  const tree =
    'a.target @9s\n├─b.service @5s +1s\n│ └─d.slice @2s\n└─c.service @6s\n  ├─d.slice @2s\n  │ └─...\n  └─e.slice\n';
  const ascii = tree.replaceAll('├─', '|-').replaceAll('└─', '`-').replaceAll('│', '|');
  const edges = unitsIn(tree).map(({ name, after }) => [name, after]);
  expect(edges).toEqual([
    ['a.target', ['b.service', 'c.service']],
    ['b.service', ['d.slice']],
    ['d.slice', []],
    ['c.service', ['d.slice', 'e.slice']],
    ['e.slice', []],
  ]);
  expect(unitsIn(ascii)).toEqual(unitsIn(tree));
});

test('several listings of one boot become one graph; one of another boot is left out with its line', () => {
  const other = readFileSync(join(FIXTURES, 'seeds/walinuxagent.critical-chain.txt'), 'utf8');
  expect(unitsIn(`${SEED}\n${other}`).map((unit) => unit.name)).toEqual([
    ...unitsIn(SEED).map((unit) => unit.name),
    'walinuxagent.service',
  ]);
  const docker = readFileSync(join(FIXTURES, 'seeds/docker.critical-chain.txt'), 'utf8');
  const [found] = parse(`${SEED}\n${docker}`);
  expect(found!.units).toEqual(unitsIn(SEED));
  expect(found!.notes[0]!.text).toMatch(/line \d+ starts a listing of another boot/);
});

test('edge case 28: a time of 584542 years is before userspace and not believed', () => {
  const units = unitsIn('a.target @9s\n└─early.service @584542y 2w 2d 20h 1min 49.407s +157us\n');
  expect(units[1]).toMatchObject({ activatingUs: 0, activatedUs: 0 });
});

test('time, blame and chain in one paste are three pieces of evidence, in every combination of units', () => {
  const found = parse(
    'Startup finished in 5.454s (kernel) + 2.843s (userspace) = 8.297s \ngraphical.target reached after 2.843s in userspace\n' +
      '1min 571ms foo.service\n  16min 40.410s a\\x2db.service\n 989us tiny.mount\n' +
      'graphical.target @2.843s\n└─foo.service @1s +1min 571ms\n',
  );
  expect(found.map((piece) => piece.kind)).toEqual(['analyze-time', 'analyze-critical-chain', 'analyze-blame']);
  expect(found[0]!.manager).toMatchObject({ userspaceUs: 5_454_000, finishUs: 8_297_000 });
  expect(found[0]!.units).toMatchObject([
    { name: 'graphical.target', aliases: ['default.target'], activatedUs: 2_843_000 },
  ]);
  expect(found[1]!.units![1]).toMatchObject({ activatedUs: 61_571_000 });
  expect(found[2]!.units!.map((unit) => unit.activatedUs - unit.activatingUs)).toEqual([1_000_410_000, 989]);
  expect(found[2]!.notes[0]!.text).toContain('not when');
});

test('other text is not mistaken for a listing', () => {
  expect(kindOf('● multi-user.target\n● ├─ssh.service\n● └─cron.service\n')!.sure).toBe(0);
  expect(
    kindOf('Nov 15 21:08:50 host systemd[1]: Startup finished in 1s (kernel) + 2s (userspace) = 3s.\n')!.sure,
  ).toBe(0);
  expect(kindOf('')!.sure).toBe(0);
});

test('what this project and the real tool print is read back to the same edges', () => {
  fc.assert(
    fc.property(anyBoot, (record) => {
      const nodes = criticalChain(record, { target: 'default.target', fuzzUs: 1e6 });
      const plain = renderChain(nodes, record, (text) => text);
      const known = new Set(unitsIn(`# systemd-analyze critical-chain\n${plain}`).map((unit) => unit.name));
      expect(known).toEqual(new Set(nodes.map((node) => node.name)));
      const { stdout } = compatCriticalChain(record, behaviourOf(252), { targets: [], fuzzUs: 1e6, isColoured: true });
      parse(stdout);
    }),
  );
});

test('any bytes are read without throwing, and a huge file of near misses does not stall', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array({ maxLength: 400 }), fc.string({ unit: 'binary', maxLength: 200 })),
      (content) => {
        const input = memoryInput('x', content);
        for (const source of SOURCES) {
          source.recognise(input);
          source.parse(input);
        }
      },
    ),
  );
  parse(`${'-'.repeat(3000)}.service x\n`.repeat(200));
  parse(`${'└─'.repeat(1500)}...>\n`.repeat(200));
});
