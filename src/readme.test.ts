// README's examples are real: each command is run, and what it prints is what README shows.
import { afterAll, describe, expect, it } from 'vitest';
import { examplesIn, expectExample, readPage, Workshop } from './docs.testing.ts';

const readme = readPage('README.md');
const examples = examplesIn(readme);
const workshop = new Workshop();
afterAll(() => workshop.remove());

describe('README', () => {
  it('has examples to try', () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
  });

  it.each(examples)('$ ./headstart $command', (example) => expectExample(workshop, example));

  it('names every verb there is', async () => {
    const { VERBS } = await import('./cli/main.ts');
    for (const path of Object.keys(VERBS)) {
      const words = path.split(' ');
      expect(readme, path).toContain(words.length === 3 ? `\`${words.slice(0, 2).join(' ')} ` : `\`${path}`);
      if (words.length === 3) expect(readme, path).toContain(words[2]);
    }
  });
});
