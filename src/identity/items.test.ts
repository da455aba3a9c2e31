import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { factsOfItem, ITEM_NAMES } from './items.ts';

const page = readFileSync(new URL('../../docs/distinct.md', import.meta.url), 'utf8');

describe('docs/distinct.md', () => {
  it.each(ITEM_NAMES)('says whether a shared %s is refused', (item) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${item}\` |`));
    expect(row?.split('|').at(-2)?.trim()).toMatch(factsOfItem(item).isHarmless ? /^a note$/ : /^refused/);
  });
});
