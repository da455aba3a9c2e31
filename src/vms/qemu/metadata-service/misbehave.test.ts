import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKind, MISBEHAVIOURS, type MisbehaviourKind, spliced, spoilInstance, spoilResponse } from './misbehave.ts';
import { anInstance } from './testing.ts';

const KINDS = Object.keys(MISBEHAVIOURS) as MisbehaviourKind[];
const ok = { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"a":"b"}' };

describe('a kind of misbehaviour', () => {
  it('is one of the values of --misbehave, and not a property of every object', () => {
    expect(KINDS.every(isKind)).toBe(true);
    expect(['toString', '__proto__', 'slow', ''].filter(isKind)).toEqual([]);
  });
});

describe('a faulty response', () => {
  it.each([
    ['not-found', 404],
    ['gone', 410],
    ['throttled', 429],
    ['server-error', 500],
    ['unavailable', 503],
  ] as const)('of kind %s has the status %i and a JSON body', (kind, status) => {
    const spoilt = spoilResponse({ kind }, ok);
    expect(spoilt.status).toBe(status);
    expect(JSON.parse(spoilt.body)).toEqual({ error: expect.any(String) });
  });

  it('has a Retry-After, by default five seconds', () => {
    expect(spoilResponse({ kind: 'throttled' }, ok).headers).toMatchObject({ 'Retry-After': '5' });
    expect(spoilResponse({ kind: 'throttled', retryAfterS: 30 }, ok).headers).toMatchObject({ 'Retry-After': '30' });
  });

  it('is empty or half, and unchanged for the kinds that act elsewhere', () => {
    expect(spoilResponse({ kind: 'empty' }, ok)).toEqual({ ...ok, body: '' });
    expect(spoilResponse({ kind: 'partial-json' }, ok).body).toBe('{"a":');
    for (const kind of ['hang', 'reset', 'slow-bytes', 'gzip'] as const) expect(spoilResponse({ kind }, ok)).toBe(ok);
  });
});

describe('a faulty instance', () => {
  const content = Buffer.from(anInstance.userData!, 'base64').toString();
  const userData = (kind: MisbehaviourKind) => spoilInstance({ kind }, anInstance).userData!;

  it('has its user data in lines, compressed or above the limit, with its content intact', () => {
    const long = { ...anInstance, userData: 'A'.repeat(200) };
    const lines = spoilInstance({ kind: 'newlines' }, long).userData!;
    expect(lines.split('\n').map(({ length }) => length)).toEqual([76, 76, 48, 0]);
    expect(lines.replaceAll('\n', '')).toBe(long.userData);
    expect(gunzipSync(Buffer.from(userData('gzip'), 'base64')).toString()).toBe(content);
    const oversize = Buffer.from(userData('oversize'), 'base64').toString();
    expect(oversize.startsWith(content) && oversize.length > 64 * 1024).toBe(true);
  });

  it('is unchanged for the kinds that act elsewhere, and no kind fails without user data', () => {
    expect(spoilInstance({ kind: 'hang' }, anInstance)).toBe(anInstance);
    const { userData: _, ...bare } = anInstance;
    for (const kind of KINDS) expect(() => spoilInstance({ kind }, bare)).not.toThrow();
  });
});

describe('spliced', () => {
  it('is a prefix of the old text and a suffix of the new text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (start, old, young, end) => {
        const [before, after] = [start + old + end, start + young + end];
        const both = spliced(before, after);
        expect(both.startsWith(start)).toBe(true);
        const cuts = Array.from({ length: both.length + 1 }, (_, at) => at);
        expect(cuts.some((at) => before.startsWith(both.slice(0, at)) && after.endsWith(both.slice(at)))).toBe(true);
        if (before === after) expect(both).toBe(before);
      }),
      // In the shorter text, common prefix and suffix may overlap; the suffix is cut off there.
      { examples: [['', ') ', '', ')']] },
    );
  });
});
