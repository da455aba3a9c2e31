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
});
