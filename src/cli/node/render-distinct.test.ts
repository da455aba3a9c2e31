import { describe, expect, it } from 'vitest';
import { judgeDistinct } from '../../identity/judge-distinct.ts';
import { anIdentity } from '../../identity/testing.ts';
import { renderDistinct } from './render-distinct.ts';

describe('the answer of node distinct', () => {
  it('is one line when nothing is shared and everything is known', () => {
    const machines = ['a', 'b'].map((name) => anIdentity(name));
    expect(renderDistinct(['a', 'b'], judgeDistinct(machines))).toBe('a, b: distinct\n');
  });

  it('lists what is shared, then notes, then what is unknown once for machines with the same reason', () => {
    const shared = { values: [{ value: '1' }] };
    const facts = { 'boot-id': shared, 'invocation-id': shared, 'random-seed': { unknown: 'it does not exist' } };
    const names = ['a', 'b', 'c', 'd'];
    const text = renderDistinct(names, judgeDistinct(names.map((name) => anIdentity(name, facts))));
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toBe('4 machines: not distinct; 1 of 16 items are not known of all');
    expect(lines.map((line) => line.split(':')[0]).slice(1)).toEqual(['shared', 'next', 'note', 'unknown']);
    expect(lines.at(-1)).toBe('unknown:  random-seed of a, b, c, d: it does not exist');
  });

  it('prints no control characters of a guest', () => {
    const evil = { values: [{ value: 'x\u001b[2J' }] };
    const names = ['a', 'b'];
    const text = renderDistinct(names, judgeDistinct(names.map((name) => anIdentity(name, { 'host-name': evil }))));
    expect(text).not.toContain('\u001b');
  });
});
