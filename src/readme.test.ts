// Are the commands in README.md correct? Commands with output print what README shows; the others use existing verbs, options and targets.
import { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { GROUPS, VERBS } from './cli/main.ts';
import { declareOptions } from './cli/program.ts';
import { ExampleFolder, examplesIn, expectExample, readPage } from './docs.testing.ts';

const readme = readPage('README.md');
const examples = examplesIn(readme);
const exampleFolder = new ExampleFolder();
afterAll(() => exampleFolder.remove());

describe('README', () => {
  it('is a front page: at most 150 lines', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(150);
  });

  it('has examples to run', () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
  });

  it.each(examples)('$ ./headstart $command', (example) => expectExample(exampleFolder, example));

  // These verbs need a pool, a node or a VM, so e2e tests run them.
  it.each(unshownCommands())('%s is a command that exists', async (line) => {
    const [program, ...words] = line.replace(/\s+#.*$/, '').split(/\s+/);
    if (program === 'make') return expect(readPage('Makefile')).toMatch(new RegExp(`^${words[0]}:`, 'm'));
    expect(program).toBe('headstart');
    const depth = [3, 2, 1].find((length) => VERBS[words.slice(0, length).join(' ')]);
    const { verb } = await VERBS[words.slice(0, depth).join(' ')]!.load();
    const command = new Command().exitOverride();
    declareOptions(command, verb);
    command.parse(words.slice(depth), { from: 'user' });
  });

  it('has a paragraph for every capability', () => {
    for (const group of Object.keys(GROUPS)) {
      if (group.includes(' ') || group === 'sim') continue;
      expect(readme, group).toContain(`**${group}**`);
    }
  });
});

function unshownCommands(): string[] {
  const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  return blocks.flatMap((block) => block.trimEnd().split('\n'));
}
