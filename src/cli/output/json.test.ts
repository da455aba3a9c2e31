import { expect, it } from 'vitest';
import { runVerb } from '../testing.ts';
import type { Verb } from '../verb.ts';
import { printJson, printJsonLine } from './json.ts';

const verb: Verb = {
  examples: [],
  configure: () => undefined,
  async run(_args, _options, deps) {
    printJsonLine(deps, 'Event', { note: 'two\nlines' });
    printJsonLine(deps, 'Result', { steps: ['a'] });
    printJson(deps, 'Answer', { steps: ['a'] });
  },
};

it('events and results of long verbs are one line each; a single answer is indented', async () => {
  const { stdout } = await runVerb(verb, []);
  const [event, result, ...answer] = stdout.trimEnd().split('\n');
  expect(JSON.parse(event!)).toEqual({ apiVersion: 'headstart.dev/v1', kind: 'Event', note: 'two\nlines' });
  expect(JSON.parse(result!)).toEqual({ apiVersion: 'headstart.dev/v1', kind: 'Result', steps: ['a'] });
  expect(answer.length).toBeGreaterThan(1);
  expect(JSON.parse(answer.join('\n'))).toMatchObject({ kind: 'Answer' });
});
