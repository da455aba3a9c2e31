// Checks the table of kinds against the verbs: a new or renamed option must not lose its values.
import { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERBS } from '../main.ts';
import { declareOptions } from '../program.ts';
import { type CommandSyntax, type CompletionValues, syntaxOf } from './command-syntax.ts';
import { FIXED_VALUES } from './fixed-values.ts';
import { NAMED_KEYS, valueKindOf } from './value-kinds.ts';

const commands = new Map<string, Command>();
const places: CommandSyntax[] = [];
beforeAll(async () => {
  for (const [path, entry] of Object.entries(VERBS)) {
    const command = new Command();
    declareOptions(command, (await entry.load()).verb);
    commands.set(path, command);
    places.push(syntaxOf(path, command));
  }
}, 120_000);

const optionOf = (path: string, long: string) =>
  places.find((place) => place.path === path)?.options.find((option) => option.long === long);
const valuesOf = (path: string, name: string): CompletionValues | undefined => {
  const place = places.find((one) => one.path === path);
  return [...(place?.options ?? []).filter(({ long }) => long === name), ...(place?.args ?? [])].find(
    (one) => !('name' in one) || one.name === name,
  )?.values;
};

describe('the table of kinds', () => {
  it('names only options and arguments that a verb has', () => {
    const used = places.flatMap(({ path, options, args }) =>
      [...options.map(({ long }) => long ?? ''), ...args.map(({ name }) => name)].map(
        (name) => valueKindOf(path, name, '').key,
      ),
    );
    expect(NAMED_KEYS.filter((key) => !used.includes(key))).toEqual([]);
  });

  it('has the same words as the verb, if the verb declares choices', async () => {
    for (const [path, command] of commands) {
      for (const { long = '', argChoices } of command.options) {
        const { kind } = valueKindOf(path, long, '');
        if (!argChoices || !Object.hasOwn(FIXED_VALUES, kind)) continue;
        const words = await FIXED_VALUES[kind as keyof typeof FIXED_VALUES]();
        expect(words.map(({ value }) => value).sort(), `${path} ${long}`).toEqual([...argChoices].sort());
      }
    }
  });

  it.each([
    ['boot chain', 'TARGET', 'targets'],
    ['boot what-if', '--mask', 'units'],
    ['boot what-if', '--after', 'unit-pairs'],
    ['boot compare', '--after', 'files'],
    ['boot compare', 'BEFORE', 'files'],
    ['boot timeline', '--boot', 'boots'],
    ['boot timeline', '--input', 'files'],
    ['boot record', '--dir', 'folders'],
    ['node check', 'FILE', 'files'],
    ['node rollback', '--to', 'nothing'],
    ['pool create', 'NAME', 'nothing'],
    ['pool show', 'NAME', 'pools'],
    ['pool scale', 'N', 'nothing'],
    ['pool reimage', 'INSTANCE', 'instances'],
    ['sim imds', '--instance', 'files'],
    ['boot collect', '--instance', 'instances'],
    ['image test', 'FOLDER', 'folders'],
    ['image hotfix', '--from', 'files'],
    ['prototype rollback', '--to', 'rollback-versions'],
    ['prototype run', '--subscription', 'nothing'],
    ['prototype run', '--vms', [{ value: 'azure' }, { value: 'qemu' }]],
    ['completion', 'SHELL', [{ value: 'bash' }, { value: 'zsh' }, { value: 'fish' }, { value: 'kubectl' }]],
  ])('%s %s takes %j', (path, name, expected) => {
    expect(valuesOf(path, name)).toEqual(expected);
  });
});

describe('isRepeatable', () => {
  it.each([
    ['boot timeline', '--input', true],
    ['boot what-if', '--mask', true],
    ['boot timeline', '--boot', false],
    ['boot blame', '--at-least', false],
    ['pool create', '--service', true],
    ['pool create', '--cpus', false],
    ['sim imds', '--misbehave', true],
    ['image build', '--kubernetes', true],
    ['image hotfix', '--allow', true],
    ['node check', '--override', true],
  ])('of %s %s is %s', (path, long, expected) => {
    expect(optionOf(path, long)?.isRepeatable).toBe(expected);
  });
});
