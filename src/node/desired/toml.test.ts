import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { appendProblem, renderToml, tomlSettings } from './toml.ts';

/** Nested tables of values as in a document, with `odd` among the values. */
function tables(odd: fc.Arbitrary<null | undefined>) {
  const key = fc.oneof(
    fc.stringMatching(/^[a-z]{1,6}$/),
    fc.constantFrom('io.containerd.cri.v1.images', 'https://a', ''),
  );
  const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), fc.boolean());
  const { table } = fc.letrec((tie) => ({
    table: fc.dictionary(
      key,
      fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(scalar, { maxLength: 3 }),
        odd.map((value) => value ?? null),
        tie('table'),
      ),
      { maxKeys: 4, noNullPrototype: true },
    ),
  }));
  return table;
}

describe('renderToml', () => {
  it('writes values before tables and quotes keys that need it', () => {
    const text = renderToml({
      version: 2,
      root: '/x',
      plugins: { 'io.x.v1': { on: true, list: ['a', 1], none: null } },
    });
    expect(text).toBe('version = 2\nroot = "/x"\n\n[plugins."io.x.v1"]\non = true\nlist = [ "a", 1 ]\n');
  });

  it('keeps an empty table and a list of objects', () => {
    expect(parse(renderToml({ a: {}, b: { c: [{ d: 1 }, {}] } }))).toEqual({ a: {}, b: { c: [{ d: 1 }, {}] } });
  });

  it('keeps the order of tables, so that mirrors are tried in order', () => {
    expect(renderToml({ host: { 'https://b': { x: 1 }, 'https://a': { x: 2 } } })).toBe(
      '[host."https://b"]\nx = 1\n\n[host."https://a"]\nx = 2\n',
    );
  });

  it.each([
    [2 ** 53, '9007199254740992'],
    [-(2 ** 53) - 2, '-9007199254740994'],
    [1e21, '1e+21'],
    [0.5, '0.5'],
    [-0, '0'],
  ])('writes the number %d as %s', (value, text) => {
    expect(renderToml({ value })).toBe(`value = ${text}\n`);
  });

  it('round-trips through a parser, without null values', () => {
    fc.assert(
      fc.property(tables(fc.constantFrom(null, undefined)), (root) => {
        const kept = JSON.parse(JSON.stringify(root, (_, value) => value ?? undefined));
        expect(parse(renderToml(root as JsonObject))).toEqual(kept);
      }),
    );
  });

  it('escapes characters that would end a string or a line', () => {
    const text = renderToml({ 'k"\n': 'a"b\\c\nd\u0000\u007f' });
    expect(text).toBe('"k\\"\\n" = "a\\"b\\\\c\\nd\\u0000\\u007f"\n');
  });

  it('writes one line per value, for any values', () => {
    const values = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.double()));
    fc.assert(
      fc.property(values, (object) => {
        const lines = renderToml(object as JsonObject)
          .trim()
          .split('\n');
        expect(lines.filter(Boolean)).toHaveLength(Object.keys(object).length);
      }),
    );
  });
});

describe('tomlSettings', () => {
  it('returns settings by table and key, quoted or not, without comments', () => {
    const text = `# one
version = 2
[plugins.'io.x'.cni]   # two
  bin_dir = "/a"
  list = [
    "b",
  ]
[[proxy]]
x.y = 1`;
    expect([...tomlSettings(text)]).toEqual([
      ['version', '2'],
      ['plugins."io.x".cni.bin_dir', '"/a"'],
      ['plugins."io.x".cni.list', '[ "b" ]'],
      ['proxy[0].x.y', '1'],
    ]);
  });

  it('ignores the spacing of lists, the grouping of digits and the notation of tables', () => {
    const one = 'list = ["a", 1]\nsize = 1_000\n[a.b]\nc = 1\n';
    const other = "list = [ 'a',\n  1, # one\n]\nsize = 1000\na = { b = { c = 1 } }\n";
    expect(tomlSettings(one)).toEqual(tomlSettings(other));
  });

  it('distinguishes 64-bit integers, floats, strings and dates', () => {
    const values = ['9223372036854775807', '9223372036854775806', '1', '1.0', '"1"', '1979-05-27', '1979-05-28'];
    expect(new Set(values.map((value) => tomlSettings(`x = ${value}`).get('x'))).size).toBe(values.length);
  });

  it('returns the whole text as one setting if it is not TOML', () => {
    expect([...tomlSettings('root = "/x"\nroot = ')]).toEqual([['not TOML', 'root = "/x"\nroot = ']]);
  });

  it('returns the rendered settings', () => {
    const tables = fc.dictionary(
      fc.stringMatching(/^[a-z."]{1,6}$/),
      fc.dictionary(fc.stringMatching(/^[a-z.]{1,6}$/), fc.integer(), { minKeys: 1 }),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(tables, (object) => {
        const values = Object.values(object).flatMap((table) => Object.values(table).map(String));
        expect([...tomlSettings(renderToml(object)).values()].sort()).toEqual(values.sort());
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('[', ']', '"', "'", '.', '=', 'a', '\n', ' ', '#', '\\') }),
        (text) => {
          tomlSettings(text);
          appendProblem('[a]\n', text);
        },
      ),
    );
  });
});

describe('appendProblem', () => {
  const rendered = renderToml({ version: 2, plugins: { 'io.x': { a: 1 } } });

  it.each([
    '',
    '# nothing\n',
    '[debug]\nlevel = "info"\n',
    '\n# c\n[plugins."io.x".registry]\nb = 1',
    '[[timeouts]]\na = 1',
    '[plugins."a=b"]\nc = 1',
    `[plugins.'a]=b'] # why\nc = 1`,
    '[plugins]\nb = 1',
    '[debug]\n[debug]\nis wrong by itself',
  ])('accepts %j', (added) => {
    expect(appendProblem(rendered, added)).toBeUndefined();
  });

  it.each([
    'root = "/x"\n[debug]',
    '[plugins."io.x"]\nb = 2',
    "[debug]\n[ plugins . 'io.x' ]",
    '[[plugins."io.x"]]',
    'not toml',
    'a = [1]',
    '["a" = 1]',
  ])('refuses %j', (added) => {
    expect(appendProblem(rendered, added)).toBeDefined();
  });
});
