import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { appendProblem, renderToml, tomlSettings } from './toml.ts';

describe('rendering', () => {
  it('writes values before tables and quotes keys that need it', () => {
    const text = renderToml({
      version: 2,
      root: '/x',
      plugins: { 'io.x.v1': { on: true, list: ['a', 1], none: null } },
    });
    expect(text).toBe('version = 2\nroot = "/x"\n\n[plugins."io.x.v1"]\non = true\nlist = ["a", 1]\n');
  });

  it('keeps an empty table, and writes objects in a list inline', () => {
    expect(renderToml({ a: {}, b: { c: [{ d: 1 }] } })).toBe('[a]\n\n[b]\nc = [{ d = 1 }]\n');
  });

  it('escapes what would end a text or a line', () => {
    const text = renderToml({ 'k"\n': 'a"b\\c\nd\u0000\u007f' });
    expect(text).toBe('"k\\"\\n" = "a\\"b\\\\c\\nd\\u0000\\u007f"\n');
  });

  it('has one line for each value, whatever the values are', () => {
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

describe('settings of a text', () => {
  it('are found by table and key, in either spelling, without comments', () => {
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
      ['plugins."io.x".cni.list', '[\n"b",\n]'],
      ['proxy.x.y', '1'],
    ]);
  });

  it('are those that were rendered', () => {
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

  it('are found in anything without a throw', () => {
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

describe('text that is appended', () => {
  const rendered = renderToml({ version: 2, plugins: { 'io.x': { a: 1 } } });

  it.each([
    '',
    '# nothing\n',
    '[debug]\nlevel = "info"\n',
    '\n# c\n[plugins."io.x".registry]\nb = 1',
    '[[timeouts]]\na = 1',
  ])('%j may stand there', (added) => {
    expect(appendProblem(rendered, added)).toBeUndefined();
  });

  it.each(['root = "/x"\n[debug]', '[plugins."io.x"]\nb = 2', "[debug]\n[ plugins . 'io.x' ]", 'not toml'])(
    '%j may not',
    (added) => {
      expect(appendProblem(rendered, added)).toBeDefined();
    },
  );
});
