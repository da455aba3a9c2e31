import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFlags, renderFlags } from './kubelet-flags.ts';

describe('the flags file', () => {
  it('has one flag per line, sorted', () => {
    const text = renderFlags(
      new Map([
        ['v', '2'],
        ['config', '/etc/k.yaml'],
      ]),
    );
    expect(text.split('\n').slice(1).join('\n')).toBe('KUBELET_FLAGS="--config=/etc/k.yaml \\\n  --v=2"\n');
  });

  it('round-trips every valid flag value', () => {
    const flags = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,9}$/), fc.stringMatching(/^[\x21-\x7e]{0,12}$/));
    fc.assert(
      fc.property(flags, (values) => {
        const map = new Map(Object.entries(values));
        expect(parseFlags(renderFlags(map))).toEqual(new Map([...map].sort()));
      }),
    );
  });

  it('gives the flags after systemd unquotes the variable and then the words', () => {
    const hostile = `a"b'c\\d$e\`f`;
    const line = renderFlags(new Map([['x', hostile]])).split('\n')[1]!;
    const variable = line.slice('KUBELET_FLAGS="'.length, -1).replace(/\\(["\\$`])/g, '$1');
    expect(variable.replace(/\\(.)/g, '$1')).toBe(`--x=${hostile}`);
  });

  it.each(['', 'nonsense', 'KUBELET_FLAGS=', 'KUBELET_FLAGS="', 'OTHER="--a=b"', 'KUBELET_FLAGS="--a b --=c -d=e"'])(
    'reads no flags from %j',
    (text) => {
      expect(parseFlags(text).size).toBe(0);
    },
  );
});
