import { expect, it } from 'vitest';
import { GROUPS, VERBS } from './main.ts';
import { nearestVerbs, SYNONYMS } from './wrong-word.ts';

const known = [...Object.keys(GROUPS), ...Object.keys(VERBS)];
const lastWords = new Set(Object.keys(VERBS).map((path) => path.split(' ').at(-1)!));

it('SYNONYMS names only verbs that exist', () => {
  for (const [word, meant] of SYNONYMS) for (const last of meant) expect(lastWords, word).toContain(last);
});

it('nearestVerbs finds every verb by its last word, and with a missing letter in its group', () => {
  for (const path of Object.keys(VERBS)) {
    const words = path.split(' ');
    const [group, last] = [words.slice(0, -1), words.at(-1)!];
    const alone = nearestVerbs([], last, known);
    expect(
      alone.some((found) => found.endsWith(last)),
      path,
    ).toBe(true);
    if (last.length > 3) expect(nearestVerbs(group, last.slice(0, -1), known), path).toContain(path);
  }
});

it('nearestVerbs suggests nothing for an unrelated word, and at most three verbs', () => {
  expect(nearestVerbs(['boot'], 'xylophone', known)).toEqual([]);
  for (const word of SYNONYMS.keys()) expect(nearestVerbs([], word, known).length).toBeLessThanOrEqual(3);
});
