import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Version } from '../../vms/gallery.ts';
import { BAD_TAG } from '../names.ts';
import { prunableVersions } from './prune.ts';

const version = (name: string, more: Partial<Version> = {}): Version => ({
  name,
  id: `/g/d/versions/${name}`,
  state: 'ready',
  percent: 100,
  isExcludedFromLatest: false,
  replicas: 3,
  redundancy: 'zone',
  sizeGb: 30,
  createdMs: 0,
  tags: {},
  ...more,
});

describe('prunableVersions', () => {
  it('never includes a version in use, and is empty if references were not read', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 28 }), { maxLength: 12 }),
        fc.array(fc.nat(11)),
        fc.integer({ min: 1, max: 5 }),
        (days, used, history) => {
          const versions = days.map((day) => version(`2026.11.${day}`));
          const references = new Set(used.flatMap((i) => (versions[i] ? [versions[i].id] : [])));
          const pruned = prunableVersions({ versions, references }, history);
          for (const gone of pruned) expect(references.has(gone.id)).toBe(false);
          expect(versions.length - pruned.length).toBeGreaterThanOrEqual(Math.min(history, versions.length));
          expect(prunableVersions({ versions, references: undefined }, history)).toEqual([]);
        },
      ),
    );
  });

  it('deletes unused bad versions first, and they do not count towards the history', () => {
    const bad = { tags: { [BAD_TAG]: 'rollback ordered 2026-11-15' } };
    const versions = [version('2026.11.13'), version('2026.11.14'), version('2026.11.15', bad), version('2026.11.16')];
    const names = (references: Set<string>, history: number) =>
      prunableVersions({ versions, references }, history).map(({ name }) => name);
    expect(names(new Set(), 3)).toEqual(['2026.11.15']);
    expect(names(new Set(), 2)).toEqual(['2026.11.15', '2026.11.13']);
    expect(names(new Set(['/g/d/versions/2026.11.15']), 3)).toEqual([]);
  });

  it('keeps a bad version that is the newest: without it a run of the same day would make it again', () => {
    const bad = { tags: { [BAD_TAG]: 'rollback ordered 2026-11-15' } };
    const versions = [version('2026.11.14'), version('2026.11.15', bad)];
    expect(prunableVersions({ versions, references: new Set() }, 3)).toEqual([]);
  });
});
