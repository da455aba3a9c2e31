import { describe, expect, it } from 'vitest';
import { newestEligible, referencedVersionNames } from './references.ts';
import { definitionId, versionId } from './scale-set.testing.ts';

describe('references to versions', () => {
  it('are found ignoring case, and other images are skipped', () => {
    const references = [
      { kind: 'version', id: versionId.toUpperCase() },
      { kind: 'version', id: versionId.replace('SIG_demo', 'SIG_other') },
      { kind: 'definition', id: definitionId },
      { kind: 'other', id: '' },
    ] as const;
    expect([...referencedVersionNames(references, { id: definitionId })]).toEqual(['2026.11.15']);
  });

  it('to a definition mean its newest version by number, not by text', () => {
    expect(newestEligible(['2026.9.30', '2026.11.1', '2026.10.31'].map((name) => ({ name })))).toBe('2026.11.1');
    expect(newestEligible([])).toBeUndefined();
  });
});
