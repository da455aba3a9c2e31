import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { type TimelinessContext, timelinessProblems } from './timeliness.ts';

const NOW = '2026-11-16T05:00:00Z';
const nowMs = Date.parse(NOW);
const reasons = (metadata: JsonObject, turn: Partial<TimelinessContext> = {}) =>
  timelinessProblems({ metadata }, { nowMs, documentHash: 'new', ...turn }).map(({ reason }) => reason);
const applied = { generation: 5, documentHash: 'old' };

describe('timelinessProblems', () => {
  it('accepts a document from notBefore, inclusive, to expires, exclusive', () => {
    expect(reasons({ notBefore: '2026-11-16T05:00:01Z' })).toEqual(['config/not-yet']);
    expect(reasons({ notBefore: NOW })).toEqual([]);
    expect(reasons({ expires: NOW })).toEqual(['config/expired']);
    expect(reasons({ expires: '2026-11-16T05:00:01Z' })).toEqual([]);
  });

  it.each([
    [4, ['config/generation-backwards']],
    [5, ['config/generation-reused']],
    [6, []],
  ])('for generation %i after generation 5 gives %j', (generation, expected) => {
    expect(reasons({ generation }, { applied })).toEqual(expected);
  });

  it('accepts an older generation that a person requests, but not an expired document', () => {
    expect(reasons({ generation: 4 }, { applied, allowsOlder: true })).toEqual([]);
    expect(reasons({ generation: 4, expires: NOW }, { applied, allowsOlder: true })).toEqual(['config/expired']);
  });

  it('keeps an applied document in force, even when it has expired', () => {
    expect(reasons({ generation: 5, expires: NOW }, { applied, documentHash: 'old' })).toEqual([]);
  });

  it('reports all problems at once and ignores values that are not times', () => {
    expect(reasons({ generation: 4, expires: NOW }, { applied })).toHaveLength(2);
    expect(reasons({ notBefore: 7, expires: null })).toEqual([]);
    expect(timelinessProblems({ metadata: 'x' }, { nowMs, documentHash: 'new', applied })).toEqual([]);
  });
});
