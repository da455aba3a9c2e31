// src/language.test.ts: does a name mean one thing, and is the prose free of words that only its authors decode? See docs/style.md.
import { describe, expect, it } from 'vitest';
import { files, sources, textOf } from './architecture.testing.ts';
import { markdownFiles } from './docs.testing.ts';

/** The simulator is a program of its own and has its own copy of these two. */
const SAME_IN_THE_SIMULATOR = new Set(['Json', 'JsonObject']);
const NOUNS = new Set(['Warning', 'Setting', 'Binding', 'Feed']);
const IRREGULAR = new Set(
  'Told Said Held Seen Found Made Taken Known Kept Sent Built Done Born Given Gone Left Lost Shown Written'.split(' '),
);

const declarations = sources.flatMap((file) =>
  [...textOf(file).matchAll(/^(export )?(interface|type|class) +([A-Z]\w*)(.*)$/gm)].map(
    ([, exported, kind = '', name = '', rest = '']) => ({
      file,
      name,
      isExported: exported !== undefined,
      isFailure: kind === 'class' && rest.includes('extends'),
    }),
  ),
);

describe('a type name', () => {
  it('is exported by one file only', () => {
    const exported = declarations.filter(({ isExported, name }) => isExported && !SAME_IN_THE_SIMULATOR.has(name));
    const shared = [...Map.groupBy(exported, ({ name }) => name)].filter(
      ([, all]) => new Set(all.map(({ file }) => file)).size > 1,
    );
    expect(shared.map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(', ')}`)).toEqual([]);
  });

  it('is a noun, not a participle such as Told or Waiting', () => {
    const participles = declarations.filter(
      ({ name, isFailure }) =>
        !isFailure && !NOUNS.has(name) && (IRREGULAR.has(name) || /^[A-Z][a-z]+(?:ing|ed)$/.test(name)),
    );
    expect(participles.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
  });
});

describe('prose', () => {
  /** The published schema of v1alpha1 is pinned by its hash; the others list or quote these words. */
  const QUOTE = [
    /^src\/node\/document\/schema\/v1alpha1/,
    /^docs\/style\.md$/,
    /^src\/language\.test\.ts$/,
    /\/fixtures\//,
  ];
  const pages = [...files, ...markdownFiles()].filter((file) => !QUOTE.some((pattern) => pattern.test(file)));

  it.each([
    ['whoever', /\bwhoever\b/i],
    ['anew', /\banew\b/i],
    ['aloud', /\baloud\b/i],
    ['told apart', /\btold apart\b/i],
    ['come to nothing', /\b(?:come|comes|came) to nothing\b/i],
    ['bring home', /\b(?:bring|brings|brought|bringing) [a-z ]{0,12}home\b/i],
  ])('does not use "%s"', (_, pattern) => {
    expect(pages.filter((file) => pattern.test(textOf(file)))).toEqual([]);
  });

  it('does not send users to the folder examples, which packages do not have', () => {
    expect(sources.filter((file) => /\b(?:as in|based on|for example|see) examples\//.test(textOf(file)))).toEqual([]);
  });

  it('does not use "nobody" or "somebody" in documents and comments', () => {
    expect(pages.filter((file) => /\b(?:nobody|somebody)\b/i.test(withoutCode(file)))).toEqual([]);
  });

  /** In code the words are data: a user, a host name, the holder of a Lease. */
  function withoutCode(file: string): string {
    const text = textOf(file);
    return file.endsWith('.ts') ? [...text.matchAll(/(?<![:'"`\w])\/\/.*|\/\*[\s\S]*?\*\//g)].join('\n') : text;
  }
});
