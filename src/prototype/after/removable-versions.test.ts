import { describe, expect, it } from 'vitest';
import type { ImageRef } from '../../vms/pools.ts';
import { isInDefinition } from '../prototype-image.ts';
import { lab } from '../testing.ts';
import { sortVersions } from './removable-versions.ts';
import { observePool } from './run-uninstall.ts';
import type { UninstallWorld } from './uninstall-world.ts';

const base = lab();
await base.run();
const seen = await observePool(
  { pool: base.ref.pool, gallery: base.intent.gallery, runId: 'x' },
  { ...base.provider, cluster: base.cluster, signal: new AbortController().signal },
);
const elsewhere: ImageRef = { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' };
const [made] = seen.versions;
const its: ImageRef = { kind: 'version', id: made!.id.toUpperCase() };
const sorted = (change: Partial<UninstallWorld> = {}, image: ImageRef = elsewhere) => {
  const { deletable, kept } = sortVersions({ ...seen, ...change }, image);
  return { deletable: deletable.map(({ name }) => name), why: kept.map(({ because }) => because) };
};

describe('a version', () => {
  it("is deleted if only this pool's own model uses it, because the model changes first", () => {
    expect(seen.references.has(made!.id)).toBe(true);
    expect(sorted()).toEqual({ deletable: [made!.name], why: [] });
  });

  it('is kept if the pool will start from it', () => {
    expect(sorted({}, its)).toEqual({ deletable: [], why: [expect.stringContaining('starts from it')] });
  });

  it('is kept as long as instances run it, and the reason names them', () => {
    const machines = seen.machines.map((one, i) =>
      i < 2 ? { ...one, instance: { ...one.instance, image: its } } : one,
    );
    const [first, second] = machines.map(({ node }) => node!.name);
    expect(sorted({ machines }).why).toEqual([`${first}, ${second} still run it`]);
    expect(sorted({ machines: machines.slice(0, 1) }).why).toEqual([`${first} still runs it`]);
  });

  it('is kept if another pool uses it', () => {
    const pool = { ...seen.pool, model: { ...seen.pool.model, image: elsewhere } };
    expect(sorted({ pool }).why).toEqual([expect.stringContaining('another pool')]);
  });

  it('is kept while it is being created', () => {
    const versions = [{ ...made!, state: 'creating' as const }];
    expect(sorted({ versions, references: new Set() }).why).toEqual(['it is still being created']);
  });
});

describe('a definition', () => {
  it('of another publisher keeps all its versions', () => {
    const definition = { ...seen.definition!, publisher: 'someone' };
    expect(sorted({ definition })).toEqual({ deletable: [], why: [expect.stringContaining('publisher someone')] });
  });

  it('that the pool uses directly is kept', () => {
    const image: ImageRef = { kind: 'definition', id: seen.definition!.id };
    expect(sorted({}, image).why).toEqual([expect.stringContaining('its newest version')]);
  });

  it('that does not exist has no versions', () => {
    expect(sorted({ definition: undefined })).toEqual({ deletable: [], why: [] });
  });

  it('owns images by its id in any case, but not those of a definition with the same prefix', () => {
    const id = seen.definition!.id;
    expect(isInDefinition({ kind: 'version', id: `${id.toUpperCase()}/versions/1.1.1` }, seen.definition)).toBe(true);
    expect(isInDefinition({ kind: 'version', id: `${id}2/versions/1.1.1` }, seen.definition)).toBe(false);
    expect(isInDefinition(elsewhere, seen.definition)).toBe(false);
    expect(isInDefinition({ kind: 'other', id }, undefined)).toBe(false);
  });
});
