import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTookUs } from '../../../model/record.ts';
import { memoryInput } from '../../input.ts';
import { analyzeBlameSource, analyzeCriticalChainSource, analyzeTimeSource, parseAnalyzeText } from './analyze-text.ts';

const SOURCES = [analyzeTimeSource, analyzeBlameSource, analyzeCriticalChainSource];
const parse = (text: string) => parseAnalyzeText(memoryInput('paste.txt', text));
const kindOf = (text: string) => {
  const input = memoryInput('x', text);
  return SOURCES.map((source) => ({ kind: source.kind, sure: source.recognise(input) })).sort(
    (a, b) => b.sure - a.sure,
  )[0];
};

test('time, blame and chain in one paste give three pieces of evidence', () => {
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
  expect(found[2]!.notes[0]!.text).toContain('no start time');
});

test('does not recognise other text as a listing', () => {
  expect(kindOf('● multi-user.target\n● ├─ssh.service\n● └─cron.service\n')!.sure).toBe(0);
  expect(
    kindOf('Nov 15 21:08:50 host systemd[1]: Startup finished in 1s (kernel) + 2s (userspace) = 3s.\n')!.sure,
  ).toBe(0);
  expect(kindOf('')!.sure).toBe(0);
});

test('parses arbitrary bytes without throwing, and does not stall on a large file of near misses', () => {
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

test.each([
  ['a comment', '└─slow.service @1.306s +1.190s   # the culprit'],
  ['an arrow', '└─slow.service @1.306s +1.190s  ← BLOCKING BOOT'],
  ['words', '└─slow.service @1.306s +1.190s slowest of all'],
  ['numeric HTML entities', '&#9492;&#x2500;slow.service @1.306s +1.190s'],
  ['named HTML entities', '&boxur;&boxh;slow.service&nbsp;@1.306s +1.190s'],
  ['nested quoting', '> > └─slow.service @1.306s +1.190s'],
])('a chain line with %s keeps its place in the tree', (_, line) => {
  const quote = line.startsWith('> ') ? '> > ' : '';
  const [chain] = parse(`${quote}graphical.target @2.953s\n${line}\n${quote}  └─basic.target @1.243s  # first\n`);
  expect(chain!.units).toMatchObject([
    { name: 'graphical.target', after: ['slow.service'] },
    { name: 'slow.service', activatingUs: 1_306_000, activatedUs: 2_496_000, after: ['basic.target'] },
    { name: 'basic.target', activatingUs: 1_243_000 },
  ]);
});

const DOCUMENT = `# Slow nodes
## Before
\`\`\`
$ systemd-analyze
Startup finished in 2s (kernel) + 9s (userspace) = 11s
graphical.target reached after 9s in userspace
$ systemd-analyze blame
8s slow.service
1s other.service
\`\`\`
## After
Startup finished in 2s (kernel) + 4s (userspace) = 6s
graphical.target @4s
└─slow.service @1s +3s
3s slow.service
1s other.service
`;

test('a document with several listings gives one named boot for each set of listings that agree', () => {
  expect(parse(DOCUMENT).map(({ name, kind }) => [name, kind])).toEqual([
    ['Before', 'analyze-time'],
    ['Before', 'analyze-blame'],
    ['After', 'analyze-time'],
    ['After', 'analyze-critical-chain'],
    ['After', 'analyze-blame'],
  ]);
});

test('two listings of blame without any text between them are two boots if their times differ', () => {
  const found = parse('8s a.service\n1s b.service\n7s a.service\n3s b.service\n');
  expect(found.map(({ name, units }) => [name, units!.map(startTookUs)])).toEqual([
    ['line 1', [8e6, 1e6]],
    ['line 3', [7e6, 3e6]],
  ]);
});

test('a document with thousands of different listings is read without comparing all pairs', () => {
  const text = Array.from({ length: 3000 }, (_, at) => `a.target @${at + 10}s\n└─b.service @${at + 1}s +1s\n`).join('');
  expect(parse(text)).toHaveLength(3000);
});
