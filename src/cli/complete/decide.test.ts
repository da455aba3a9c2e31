import { describe, expect, it } from 'vitest';
import { type CommandSyntax, HELP_OPTION } from './command-syntax.ts';
import { type CommandTable, type CompletionDecision, decideAtGroup, decideAtVerb, findCommand } from './decide.ts';

const TABLE: CommandTable = {
  groups: { boot: { summary: 'boots' }, 'boot systemd': { summary: 'systemd' } },
  verbs: {
    'boot chain': { summary: 'chain' },
    'boot systemd time': { summary: 'time' },
    completion: { summary: 'scripts' },
  },
};

const CHAIN: CommandSyntax = {
  path: 'boot chain',
  args: [{ name: 'TARGET', values: 'targets' }],
  options: [
    { short: '-i', long: '--input', summary: 'read', takes: 'value', isRepeatable: true, values: 'files' },
    { short: '-b', long: '--boot', summary: 'boot', takes: 'value', values: 'boots' },
    { long: '--format', summary: 'format', takes: 'value', values: [{ value: 'json' }, { value: 'csv' }] },
    { long: '--compat', summary: 'compat', takes: 'optional', values: 'systemd-versions' },
    { long: '--scan', summary: 'scan', takes: 'optional', values: 'nothing' },
    { long: '--kubernetes', summary: 'some', takes: 'value', isVariadic: true, isRepeatable: true, values: 'clusters' },
    { long: '--old', summary: '', takes: 'value', isHidden: true, values: 'files' },
    { long: '--cluster', summary: 'with', takes: 'value', values: 'clusters' },
    { long: '--no-cluster', summary: 'without', takes: 'nothing', values: 'nothing' },
    { long: '--json', summary: 'json', takes: 'nothing', values: 'nothing' },
    HELP_OPTION,
  ],
};
const EXEC: CommandSyntax = {
  path: 'pool exec',
  args: [
    { name: 'INSTANCE', values: 'instances' },
    { name: 'CMD', isVariadic: true, values: 'nothing' },
  ],
  options: [{ long: '--timeout', summary: 'time', takes: 'value', values: 'nothing' }],
};

const atGroup = (...words: string[]) =>
  namesOf(decideAtGroup(findCommand(words.slice(0, -1), TABLE), words.at(-1)!, TABLE));
const atChain = (...words: string[]) => decideAtVerb(CHAIN, words.slice(0, -1), words.at(-1)!);

function namesOf({ values }: CompletionDecision): string[] {
  return typeof values === 'string' ? [values] : values.map(({ value }) => value);
}

describe('decideAtGroup', () => {
  it.each([
    [[''], ['boot', 'completion', 'help']],
    [
      ['boot', ''],
      ['systemd', 'chain'],
    ],
    [['boot', 'systemd', ''], ['time']],
    [['-'], ['--help', '-h', '--version', '-V']],
    [
      ['boot', '-'],
      ['--help', '-h'],
    ],
    [
      ['help', ''],
      ['boot', 'completion'],
    ],
    [
      ['help', 'boot', ''],
      ['systemd', 'chain'],
    ],
    [
      ['boot', 'help', ''],
      ['systemd', 'chain'],
    ],
    [['help', 'boot', 'chain', ''], ['nothing']],
    [['nothing-of-ours', ''], ['nothing']],
  ])('offers after %j: %j', (words, expected) => {
    expect(atGroup(...words)).toEqual(expected);
  });

  it('takes a word for a group only in the position of a group', () => {
    expect(findCommand(['boot', 'chain', '-i', 'boot'], TABLE)).toMatchObject({
      path: 'boot chain',
      rest: ['-i', 'boot'],
    });
  });
});

describe('decideAtVerb', () => {
  it.each([
    [[''], 'targets'],
    [['-i', ''], 'files'],
    [['-i', '-'], 'files'],
    [['--input', 'a', ''], 'targets'],
    [['-b', '-1', ''], 'targets'],
    [['-b', ''], 'boots'],
    [['-ia.tar.gz', ''], 'targets'],
    [['--compat', ''], 'systemd-versions'],
    [['--compat', '252', ''], 'targets'],
    [['--compat=252', ''], 'targets'],
    [['--scan', ''], 'targets'],
    [['--kubernetes', ''], 'clusters'],
    [['--kubernetes', 'a', ''], 'clusters'],
    [['--kubernetes', 'a', '--json', ''], 'targets'],
    [['--old', ''], 'files'],
    [['--json', ''], 'targets'],
    [['--bogus', ''], 'targets'],
    [['--', ''], 'targets'],
    [['--', '-'], 'targets'],
    [['a', '--', ''], 'nothing'],
    [['--boot='], 'boots'],
    [['--json='], 'nothing'],
    [['--bogus=x'], 'nothing'],
  ])('decides for %j: %s', (words, expected) => {
    expect(namesOf(atChain(...words))).toEqual([expected]);
  });

  it('keeps the option name as the prefix of an attached value', () => {
    expect(atChain('--format=c')).toMatchObject({ values: [{ value: 'json' }, { value: 'csv' }], prefix: '--format=' });
    expect(atChain('--format', 'c')).toMatchObject({ prefix: '' });
  });

  it('offers an option again only if it is repeatable, and never its opposite or a hidden option', () => {
    const offered = namesOf(atChain('-i', 'a', '-b', '0', '--cluster', 'x', '-'));
    expect(offered).toEqual(expect.arrayContaining(['--input', '-i', '--json', '--kubernetes']));
    for (const name of ['--boot', '-b', '--cluster', '--no-cluster', '--old']) expect(offered).not.toContain(name);
  });

  it('offers options if no argument is missing', () => {
    expect(namesOf(atChain('node-ready', ''))).toContain('--input');
  });

  it('returns the typed options in every notation', () => {
    const { given } = atChain('-i', 'a', '--input=b', '-ic', '--json', 'target', '');
    expect(given.options.get('--input')).toEqual(['a', 'b', 'c']);
    expect(given.options.get('--json')).toEqual([]);
    expect(given.args).toEqual(['target']);
  });

  it('returns which arguments are files', () => {
    const report: CommandSyntax = {
      path: 'boot report',
      args: [{ name: 'INPUT', isVariadic: true, values: 'files' }],
      options: [],
    };
    expect(decideAtVerb(report, ['a', 'b'], '').given.files).toEqual(['a', 'b']);
    expect(atChain('target', '').given.files).toEqual([]);
  });

  it('offers nothing for the command of `pool exec`', () => {
    const at = (...words: string[]) => namesOf(decideAtVerb(EXEC, words.slice(0, -1), words.at(-1)!));
    expect(at('')).toEqual(['instances']);
    expect(at('pool1-000001', '--', '')).toEqual(['nothing']);
    expect(at('pool1-000001', '--', 'ls', '-')).toEqual(['nothing']);
    expect(at('--', '')).toEqual(['instances']);
  });
});
