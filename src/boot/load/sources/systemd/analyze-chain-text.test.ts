import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { criticalChain } from '../../../compat/systemd/critical-chain.ts';
import { compatCriticalChain } from '../../../compat/systemd/exact/critical-chain.ts';
import { renderCriticalChain } from '../../../compat/systemd/render-chain.ts';
import { anyBoot, FIXTURES } from '../../../compat/systemd/testing.ts';
import { behaviourOf } from '../../../compat/systemd/versions.ts';
import { memoryInput } from '../../input.ts';
import { pastedLine } from '../logs/pasted-line.ts';
import { isTimedChainLine, parseChainLine } from './analyze-chain-text.ts';
import { parseAnalyzeText } from './analyze-text.ts';

const SEED = readFileSync(join(FIXTURES, 'seeds/cloud-final.critical-chain.txt'), 'utf8');
const parse = (text: string) => parseAnalyzeText(memoryInput('paste.txt', text));
const unitsIn = (text: string) => parse(text).find((found) => found.kind === 'analyze-critical-chain')?.units ?? [];

test('a listing gives units on the userspace clock, each after the unit below it', () => {
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

test('edge case 38: a root that took time has no @ and starts when the target it waits for is up', () => {
  expect(unitsIn(SEED)[0]).toMatchObject({
    name: 'cloud-final.service',
    activatingUs: 33_929_000,
    activatedUs: 45_632_000,
    after: ['multi-user.target'],
  });
});

test('edge case 42: keeps ellipsised names and lines truncated by a pager, with a warning', () => {
  const text =
    'graphical.target @5s\n└─a-very-long-na… @3s +1s\n  └─next.service @1s +1.2>\n    └─cut-off-na>\nlines 1-4\n';
  const [found] = parse(text);
  expect(found!.units).toMatchObject([
    { name: 'graphical.target', activatingUs: 5e6 },
    { name: 'a-very-long-na…', activatingUs: 3e6, activatedUs: 4e6 },
    { name: 'next.service', activatingUs: 1e6, activatedUs: 1e6 },
    { name: 'cut-off-na…', activatingUs: 0 },
  ]);
  expect(found!.notes[0]!.text).toBe(
    'paste.txt: line 2 is truncated: the missing part is unknown (and 2 more like it)',
  );
});

test('Unicode and ASCII glyphs give the same graph, with branches and repeats', () => {
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

test('merges several listings of one boot, and keeps a listing of another boot apart', () => {
  const other = readFileSync(join(FIXTURES, 'seeds/walinuxagent.critical-chain.txt'), 'utf8');
  expect(unitsIn(`${SEED}\n${other}`).map((unit) => unit.name)).toEqual([
    ...unitsIn(SEED).map((unit) => unit.name),
    'walinuxagent.service',
  ]);
  const docker = readFileSync(join(FIXTURES, 'seeds/docker.critical-chain.txt'), 'utf8');
  const found = parse(`${SEED}\n${docker}`);
  expect(found.map(({ name, units }) => [name, units])).toEqual([
    ['cloud-final.service', unitsIn(SEED)],
    ['graphical.target', unitsIn(docker)],
  ]);
});

test('edge case 28: a time of 584542 years means before userspace and is ignored', () => {
  const units = unitsIn('a.target @9s\n└─early.service @584542y 2w 2d 20h 1min 49.407s +157us\n');
  expect(units[1]).toMatchObject({ activatingUs: 0, activatedUs: 0 });
});

test('reads back the listings that headstart and systemd-analyze print', () => {
  fc.assert(
    fc.property(anyBoot, (record) => {
      const nodes = criticalChain(record, { target: 'default.target', fuzzUs: 1e6 });
      const plain = renderCriticalChain(nodes, record, (text) => text);
      const known = new Set(unitsIn(`# systemd-analyze critical-chain\n${plain}`).map((unit) => unit.name));
      expect(known).toEqual(new Set(nodes.map((node) => node.name)));
      const { stdout } = compatCriticalChain(record, behaviourOf(252), { targets: [], fuzzUs: 1e6, isColoured: true });
      parse(stdout);
    }),
  );
});

test.each([
  ['└─a.service @3s +1.5s', { name: 'a.service', column: 2, atUs: 3e6, tookUs: 1.5e6, hasGlyph: true }],
  ['  |--.slice @1.2s', { name: '-.slice', column: 4, atUs: 1.2e6 }],
  ['a.service @1min 2s +3ms [wait: for a lease] [failed]', { name: 'a.service', column: 0, atUs: 62e6, tookUs: 3e3 }],
  ['  └─...', { isRepeat: true }],
  ['x.service is not a listing', undefined],
  ['word a.service @3s', undefined],
])('parseChainLine parses %j', (text, expected) => {
  const parsed = parseChainLine(pastedLine(text));
  if (expected === undefined) expect(parsed).toBeUndefined();
  else expect(parsed).toMatchObject(expected);
});

test('a line is timed if it has a start or a duration', () => {
  const isTimed = (text: string) => isTimedChainLine(pastedLine(text));
  expect(['a.service @3s', 'a.service +3s', 'a.service', '└─...'].map(isTimed)).toEqual([true, true, false, false]);
});

test('listings whose times differ only slightly belong to one boot', () => {
  const listing = (at: string) => `# systemd-analyze critical-chain\na.target @9s\n└─b.service @${at}\n`;
  const boots = (text: string) => new Set(parse(text).map(({ name }) => name)).size;
  expect(boots(listing('5s') + listing('5.050s'))).toBe(1);
  expect(boots(listing('5s') + listing('5.150s'))).toBe(2);
});
