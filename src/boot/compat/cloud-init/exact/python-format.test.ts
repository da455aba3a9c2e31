import { describe, expect, it } from 'vitest';
import { ToolCrash } from './compat-crash.ts';
import { formatter } from './python-format.ts';

const fields = { name: 'init-local', delta: 1.5, count: 7n, ok: true, none: null, nested: [1n] };

describe('formatter', () => {
  it.each([
    ['{name}: {delta}', 'init-local: 1.5'],
    ['{{{count}}}', '{7}'],
    ['{delta:08.5f}|{delta:.2f}|{count:.1f}', '01.50000|1.50|7.0'],
    ['{count:+}|{count:04}|{count:>5}|{count:<3}|', '+7|0007|    7|7  |'],
    ['{delta:=+8}', '+    1.5'],
    ['{name:12}|{name:*^14}|{name:.4}', 'init-local  |**init-local**|init'],
    ['{ok} {none} {ok!s:>6}', 'True None   True'],
  ])('formats %s', (template, expected) => {
    expect(formatter(template)(fields)).toBe(expected);
  });

  it.each([
    ['{missing}', "KeyError: 'missing'"],
    ['{}', 'index 0 out of range'],
    ['{1}', 'index 1 out of range'],
    ['a } b', "Single '}'"],
    ['{name', "expected '}'"],
    ['{name:d}', "Unknown format code 'd'"],
    ['{name:=5}', "Unknown format code '='"],
    ['{ok:5}', 'Invalid format specifier'],
    ['{delta:e}', 'not supported'],
    ['{nested}', 'nested value'],
    ['{name!r}', 'not supported'],
  ])('fails for %s as in Python', (template, message) => {
    const format = formatter(template);
    expect(() => format(fields)).toThrow(ToolCrash);
    expect(() => format(fields)).toThrow(message);
  });

  it('limits a width of a billion', () => {
    expect(formatter('{count:999999999}')(fields)).toHaveLength(10_000);
  });
});
