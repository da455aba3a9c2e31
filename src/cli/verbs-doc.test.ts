import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GROUPS, VERBS } from './main.ts';
import { renderVerbs, VERBS_DOC } from './verbs-doc.ts';

const text = readFileSync(VERBS_DOC, 'utf8');

it('docs/verbs.md matches the table of verbs; `make docs` updates it', async () => {
  expect(text === (await renderVerbs()), 'docs/verbs.md is stale: run `make docs`').toBe(true);
});

it('docs/verbs.md shows defaults as a user types them', () => {
  expect(text).not.toContain('[object');
});

it('docs/verbs.md has a heading for every group and verb, and no line over 120 columns', () => {
  for (const path of Object.keys(GROUPS)) expect(text).toContain(`\n## ${path}\n`);
  for (const path of Object.keys(VERBS)) expect(text).toContain(`\n### ${path}\n`);
  expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
});
