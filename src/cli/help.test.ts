import { Argument, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { describeOption, optionGroups, SHARED_GROUPS } from './help.ts';
import { GROUPS, VERBS } from './main.ts';
import { run } from './testing.ts';

describe('help', () => {
  it.each([60, 80, 120])('has no line over %i columns', { timeout: 120_000 }, async (width) => {
    for (const path of ['', ...Object.keys(GROUPS), ...Object.keys(VERBS)]) {
      const { stdout } = await run([...path.split(' ').filter(Boolean), '--help'], { env: { COLUMNS: `${width}` } });
      const wide = stdout.split('\n').filter((line) => line.length > width && !isOneWord(line));
      expect(wide, path).toEqual([]);
    }
  });

  it('breaks an example so that a shell reads it as one command', async () => {
    const { stdout } = await run(['boot', 'what-if', '--help'], { env: { COLUMNS: '60' } });
    const examples = stdout
      .split('\n\n')[1]!
      .replaceAll(/ \\\n +/g, ' ')
      .split('\n')
      .slice(1);
    const { verb } = await VERBS['boot what-if']!.load();
    expect(examples).toEqual(verb.examples.map((example) => `  headstart ${example}`));
  });

  it('lists options without a heading first, then the groups of the verb, then the shared groups', () => {
    const option = (flag: string, heading?: string) =>
      heading ? new Option(flag).helpGroup(heading) : new Option(flag);
    const groups = optionGroups([
      option('--json', SHARED_GROUPS.output),
      option('--tenant', SHARED_GROUPS.azure),
      option('--drain-force', 'Drain:'),
      option('--pool'),
    ]);
    expect(groups.map(([heading]) => heading)).toEqual(['Options:', 'Drain:', 'Azure:', 'Output:']);
  });

  it.each([
    [new Option('--a <X>', 'text').default('x'), 'text (default: x)'],
    [new Option('--a <X>', 'text').default(3_600_000, '1h'), 'text (default: 1h)'],
    [new Option('--a <X>', 'text').default([]), 'text'],
    [new Option('--no-a', 'text').default(true), 'text'],
    [new Option('--a <X>', 'text').choices(['x', 'y']).makeOptionMandatory(), 'text (required; one of x, y)'],
    [new Argument('<X>', 'text').choices(['x', 'y']), 'text (one of x, y)'],
    [new Argument('<X>').choices(['x', 'y']), 'one of x, y'],
  ])('adds required, choices and default to a description', (option, expected) => {
    expect(describeOption(option)).toBe(expected);
  });
});

function isOneWord(line: string): boolean {
  return !line.trim().includes(' ');
}
