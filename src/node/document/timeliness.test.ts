import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { type TimelinessContext, timelinessProblems } from './timeliness.ts';

const NOW = '2026-11-16T05:00:00Z';
const nowMs = Date.parse(NOW);
const reasons = (metadata: JsonObject, turn: Partial<TimelinessContext> = {}) =>
  timelinessProblems({ metadata }, { nowMs, documentHash: 'new', ...turn }).map(({ reason }) => reason);
const applied = { generation: 5, documentHash: 'old' };

describe('a document', () => {
  it('has its time from its first instant on, and no more at its last', () => {
    expect(reasons({ notBefore: '2026-11-16T05:00:01Z' })).toEqual(['config/not-yet']);
    expect(reasons({ notBefore: NOW })).toEqual([]);
    expect(reasons({ expires: NOW })).toEqual(['config/expired']);
    expect(reasons({ expires: '2026-11-16T05:00:01Z' })).toEqual([]);
  });

  it.each([
    [4, ['config/generation-backwards']],
    [5, ['config/generation-reused']],
    [6, []],
  ])('of generation %i over generation 5: %j', (generation, expected) => {
    expect(reasons({ generation }, { applied })).toEqual(expected);
  });

  it('may be older where a person asks for it, but not out of its time', () => {
    expect(reasons({ generation: 4 }, { applied, allowsOlder: true })).toEqual([]);
    expect(reasons({ generation: 4, expires: NOW }, { applied, allowsOlder: true })).toEqual(['config/expired']);
  });

  it('that is applied stays in force, expired or not', () => {
    expect(reasons({ generation: 5, expires: NOW }, { applied, documentHash: 'old' })).toEqual([]);
  });

  it('says every problem at once, and is not judged by what is no time', () => {
    expect(reasons({ generation: 4, expires: NOW }, { applied })).toHaveLength(2);
    expect(reasons({ notBefore: 7, expires: null })).toEqual([]);
    expect(timelinessProblems({ metadata: 'x' }, { nowMs, documentHash: 'new', applied })).toEqual([]);
  });
});
