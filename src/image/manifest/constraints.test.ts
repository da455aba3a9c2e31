import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConstraints, renderConstraint, satisfies, upstreamOf } from './constraints.ts';
import { compareDebian } from './debian-version.ts';
import type { ComponentKind } from './manifest.ts';

const holds = (kind: ComponentKind, version: string, text: string) =>
  satisfies({ kind, version }, parseConstraints(text)!);

describe('a constraint', () => {
  it.each<[ComponentKind, string, string, boolean]>([
    ['binary', '1.7.2', 'containerd >= 1.6', true],
    ['binary', '1.7.2', 'containerd >= 1.6, < 2', true],
    ['binary', '2.0.0', 'containerd >= 1.6, < 2', false],
    ['binary', 'v1.10.0', 'x > 1.9', true],
    ['binary', '2.0.0-rc.1', 'x >= 2.0.0', false],
    ['binary', '1.6.0', 'x = 1.6.*', true],
    ['binary', '1.60.0', 'x = 1.6.*', false],
    ['binary', '1.6.9', 'x != 1.6.*', false],
    ['binary', '1.6', 'x <= 1.6', true],
    // dpkg sorts repacked sources lower; a plain number means the upstream version.
    ['deb', '1.6.20~ds1-1+deb12u1', 'containerd >= 1.6.20', true],
    ['deb', '1.6.20~ds1-1+deb12u1', 'containerd = 1.6.20', true],
    ['deb', '1.6.20~ds1-1+deb12u1', 'containerd >= 1.6.20-1', false],
    ['deb', '1.6.20~ds1-1+deb12u1', 'containerd > 1.6.20~ds1-1', true],
    ['deb', '1:2.39.5-0+deb12u2', 'git < 2.40', true],
    ['deb', '1:2.39.5-0+deb12u2', 'git > 1:2.39', true],
    ['deb', '252.39-1~deb12u1', 'systemd = 252.*', true],
  ])('applied to a %s of version %s: %s is %s', (kind, version, text, expected) => {
    expect(holds(kind, version, text)).toBe(expected);
  });

  it.each([
    '',
    'containerd',
    '>= 1',
    'containerd => 1',
    'containerd >=',
    'containerd >= x',
    'containerd >= 1,',
    'containerd < 1.*',
    'a b >= 1',
  ])('is undefined for %j', (text) => {
    expect(parseConstraints(text)).toBeUndefined();
  });

  it('survives rendering and parsing', () => {
    const constraint = fc.record({
      name: fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/),
      bounds: fc.array(
        fc.record({
          operator: fc.constantFrom('>=', '<=', '>', '<', '=', '!=' as const),
          version: fc.stringMatching(/^[0-9][0-9.]{0,4}[0-9]$/),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(constraint, (one) => {
        expect(parseConstraints(renderConstraint(one))).toEqual(one);
      }),
    );
  });

  it('holds exactly when its opposite does not', () => {
    const version = fc.stringMatching(/^[0-9](?:\.[0-9]{1,2}){0,3}$/);
    fc.assert(
      fc.property(version, version, (seen, bound) => {
        expect(holds('binary', seen, `x >= ${bound}`)).toBe(!holds('binary', seen, `x < ${bound}`));
        expect(holds('binary', seen, `x = ${bound}`)).toBe(!holds('binary', seen, `x != ${bound}`));
      }),
    );
  });
});

describe('upstreamOf', () => {
  it.each([
    ['1.6.20~ds1-1+deb12u1', '1.6.20'],
    ['1:2.39.5-0+deb12u2', '2.39.5'],
    ['1.1.5+ds1-1+deb12u1', '1.1.5'],
    ['252.39-1~deb12u1', '252.39'],
    ['20230311', '20230311'],
    ['6.1.140-1', '6.1.140'],
    ['2.0.0+dfsg.1-1', '2.0.0'],
  ])('%s is %s', (version, expected) => expect(upstreamOf(version)).toBe(expected));
});

describe('compareDebian', () => {
  it('agrees with dpkg on every row of a recorded table', () => {
    const text = readFileSync(new URL('../fixtures/dpkg-compare.txt', import.meta.url), 'utf8');
    const rows = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' '));
    expect(rows.length).toBeGreaterThan(500);
    const wrong = rows.filter(
      ([a, sign, b]) => Math.sign(compareDebian(a!, b!)) !== { '<': -1, '=': 0, '>': 1 }[sign!],
    );
    expect(wrong).toEqual([]);
  });
});
