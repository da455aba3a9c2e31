import { describe, expect, it } from 'vitest';
import { badMark, badReason, clearedMark } from './bad-version.ts';
import { BAD_TAG } from './names.ts';

describe('the mark of a bad version', () => {
  it('has the reason and the day', () => {
    const tags = badMark(Date.parse('2026-11-18T23:59:00Z')) as Record<string, string>;
    expect(badReason({ tags })).toBe('rollback ordered 2026-11-18');
  });

  it.each([
    [{ [BAD_TAG]: '' }, 'no reason was recorded'],
    [{ [BAD_TAG]: '  ' }, 'no reason was recorded'],
    [{ 'Headstart-Bad': 'kernel panics' }, 'kernel panics'],
    [{ 'headstart-donor': 'a' }, undefined],
    [{}, undefined],
  ])('of a version with the tags %j is %s', (tags, reason) => {
    expect(badReason({ tags })).toBe(reason);
  });

  it('is cleared in the spelling that it has', () => {
    expect(clearedMark({ tags: { 'Headstart-Bad': 'x', other: 'y' } })).toEqual({
      [BAD_TAG]: null,
      'Headstart-Bad': null,
    });
  });
});
