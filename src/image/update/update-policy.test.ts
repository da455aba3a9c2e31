import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Component, ComponentKind } from '../manifest/manifest.ts';
import { bestOf, isProposable } from './update-policy.ts';

describe('isProposable', () => {
  it.each<[Component['update'], ComponentKind, string, string, boolean]>([
    ['patch', 'binary', '1.35.1', '1.35.2', true],
    ['patch', 'binary', '1.35.1', '1.36.0', false],
    ['minor', 'binary', '1.35.1', '1.36.0', true],
    ['minor', 'binary', '1.35.1', '2.0.0', false],
    ['frozen', 'binary', '1.35.1', '1.35.2', false],
    ['patch', 'binary', '1.35.2', '1.35.1', false],
    ['minor', 'binary', '1.35.1', '1.36.0-rc.1', false],
    ['patch', 'binary', 'v1.8.0', 'v1.8.1', true],
    ['patch', 'deb', '1.6.20~ds1-1+b2', '1.6.20~ds1-1+deb12u1', true],
    ['patch', 'deb', '252.38-1~deb12u1', '252.39-1~deb12u1', true],
    ['patch', 'deb', '252.38-1~deb12u1', '253.1-1', false],
    ['patch', 'deb', '20230311', '20240203', false],
    ['minor', 'deb', '20230311', '20240203', true],
    ['patch', 'deb', '20230311+deb12u1', '20230311+deb12u2', true],
  ])('policy %s of a %s, from %s to %s: %s', (policy, kind, from, to, expected) => {
    expect(isProposable(policy, kind, from, to)).toBe(expected);
  });

  it('allows only newer versions, and nothing for a frozen component', () => {
    const version = fc.stringMatching(/^[0-9]{1,2}(?:\.[0-9]{1,2}){0,3}$/);
    const policy = fc.constantFrom<Component['update'][]>('frozen', 'patch', 'minor');
    fc.assert(
      fc.property(policy, version, version, (one, a, b) => {
        expect(isProposable(one, 'binary', a, b) && isProposable(one, 'binary', b, a)).toBe(false);
        expect(isProposable(one, 'binary', a, a)).toBe(false);
        if (isProposable('patch', 'binary', a, b)) expect(isProposable('minor', 'binary', a, b)).toBe(true);
      }),
    );
  });

  it('lets bestOf choose the newest allowed version, compared as numbers', () => {
    const offered = ['1.35.9', '1.35.10', '1.36.0', '1.35.11-rc.1'].map((version) => ({ version }));
    expect(bestOf('patch', 'binary', '1.35.8', offered)).toEqual({ version: '1.35.10' });
    expect(bestOf('patch', 'binary', '1.35.8', offered.toReversed())).toEqual({ version: '1.35.10' });
    expect(bestOf('frozen', 'binary', '1.35.8', offered)).toBeUndefined();
  });
});
