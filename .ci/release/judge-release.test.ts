import { describe, expect, it } from 'vitest';
import { judgeRelease, type ReleaseFacts } from './judge-release.ts';

const READY: ReleaseFacts = {
  version: '1.2.0',
  copies: [{ file: 'package-lock.json', version: '1.2.0' }],
  branch: 'main',
  dirty: [],
  tags: ['v1.1.0', 'v0.9.0-rc.1', 'other'],
  changelog:
    '# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-11-19\n\n### Added\n\n- A verb.\n\n## 1.1.0 - 2026-10-01\n',
};

const codesOf = (facts: Partial<ReleaseFacts>) => {
  const verdict = judgeRelease({ ...READY, ...facts });
  return verdict.isReady ? [] : verdict.refusals.map(({ code }) => code);
};
const changelog = (text: string) => ({ changelog: `# Changelog\n\n${text}` });

describe('a release', () => {
  it('is the tag of the version in package.json, with the notes of its entry', () => {
    expect(judgeRelease(READY)).toEqual({ isReady: true, tag: 'v1.2.0', notes: '### Added\n\n- A verb.' });
  });

  it.each<[string, Partial<ReleaseFacts>, string]>([
    ['another branch', { branch: 'feature' }, 'release/not-on-main'],
    ['no branch', { branch: undefined }, 'release/not-on-main'],
    ['changed files', { dirty: ['src/a.ts'] }, 'release/dirty-tree'],
    ['an existing tag', { tags: ['v1.2.0'] }, 'release/tag-exists'],
    ['a newer tag', { tags: ['v1.10.0'] }, 'release/not-newest'],
    [
      'a newer release for its candidate',
      { version: '1.2.0-rc.1', copies: [], tags: ['v1.2.0'] },
      'release/not-newest',
    ],
    ['another version in the lock file', { copies: [{ file: 'x', version: '1.1.0' }] }, 'release/other-version'],
    ['no version in the lock file', { copies: [{ file: 'x', version: undefined }] }, 'release/other-version'],
    ['no entry', changelog('## 1.1.0 - 2026-10-01\n\nx\n'), 'release/no-changelog-entry'],
    ['an empty entry', changelog('## 1.2.0 - 2026-11-19\n\n## 1.1.0\n\nx\n'), 'release/no-changelog-entry'],
    ['an entry without a date', changelog('## 1.2.0\n\n- A verb.\n'), 'release/undated-changelog-entry'],
    ['an entry with no date', changelog('## 1.2.0 (not tagged)\n\n- A verb.\n'), 'release/undated-changelog-entry'],
    ['an impossible date', changelog('## 1.2.0 - 2026-13-01\n\n- A verb.\n'), 'release/undated-changelog-entry'],
    [
      'changes that are not released',
      changelog('## Unreleased\n\n- More.\n\n## 1.2.0 - 2026-11-19\n\n- A verb.\n'),
      'release/unreleased-changes',
    ],
  ])('is refused with %s', (_, facts, code) => {
    expect(codesOf(facts)).toContain(code);
  });

  it.each(['1.2', 'v1.2.0', '1.2.0-beta', '1.2.0 ', '', '$(id)'])('is refused with the version %j', (version) => {
    expect(codesOf({ version, copies: [] })).toContain('release/bad-version');
  });

  it('may follow its candidates', () => {
    expect(codesOf({ tags: ['v1.2.0-rc.1', 'v1.2.0-rc.10'] })).toEqual([]);
    const candidate = { ...changelog('## 1.2.0-rc.10 - 2026-11-19\n\n- A verb.\n'), copies: [] };
    expect(codesOf({ version: '1.2.0-rc.10', tags: ['v1.2.0-rc.9', 'v1.1.0'], ...candidate })).toEqual([]);
    expect(codesOf({ version: '1.2.0-rc.10', tags: ['v1.2.0-rc.11'], ...candidate })).toEqual(['release/not-newest']);
  });

  it('has all reasons at once, each with what to do', () => {
    const verdict = judgeRelease({ ...READY, branch: 'x', dirty: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], changelog: '' });
    const refusals = verdict.isReady ? [] : verdict.refusals;
    expect(refusals.map(({ code }) => code)).toEqual([
      ...['release/not-on-main', 'release/dirty-tree', 'release/no-changelog-entry'],
    ]);
    expect(refusals.every(({ next }) => next !== '')).toBe(true);
    expect(refusals[1]!.message).toBe('the tree has changes: a, b, c, d, e and 2 more');
  });
});
