import { describe, expect, it } from 'vitest';
import type { ImageRef } from '../../vms/pools.ts';
import { lab } from '../testing.ts';
import { isOurs, sortVersions } from './removable-versions.ts';
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
  const { going, kept } = sortVersions({ ...seen, ...change }, image);
  return { going: going.map(({ name }) => name), why: kept.map(({ because }) => because) };
};

describe('a version', () => {
  it("goes when only this pool's own model refers to it, for the model moves first", () => {
    expect(seen.references.has(made!.id)).toBe(true);
    expect(sorted()).toEqual({ going: [made!.name], why: [] });
  });

  it('stays when the pool will start from it', () => {
    expect(sorted({}, its)).toEqual({ going: [], why: [expect.stringContaining('starts from it')] });
  });

  it('stays as long as an instance runs it, and those are named', () => {
    const machines = seen.machines.map((one, i) =>
      i < 2 ? { ...one, instance: { ...one.instance, image: its } } : one,
    );
    const [first, second] = machines.map(({ node }) => node!.name);
    expect(sorted({ machines }).why).toEqual([`${first}, ${second} still run it`]);
    expect(sorted({ machines: machines.slice(0, 1) }).why).toEqual([`${first} still runs it`]);
  });

  it('stays when another pool refers to it', () => {
    const pool = { ...seen.pool, model: { ...seen.pool.model, image: elsewhere } };
    expect(sorted({ pool }).why).toEqual([expect.stringContaining('another pool')]);
  });

  it('stays while it is being made', () => {
    const versions = [{ ...made!, state: 'creating' as const }];
    expect(sorted({ versions, references: new Set() }).why).toEqual(['it is still being made']);
  });
});

describe('a definition', () => {
  it('of another publisher keeps all its versions', () => {
    const definition = { ...seen.definition!, publisher: 'someone' };
    expect(sorted({ definition })).toEqual({ going: [], why: [expect.stringContaining('publisher someone')] });
  });

  it('that the pool floats on stays', () => {
    const image: ImageRef = { kind: 'definition', id: seen.definition!.id };
    expect(sorted({}, image).why).toEqual([expect.stringContaining('its newest version')]);
  });

  it('that is not there has nothing to sort', () => {
    expect(sorted({ definition: undefined })).toEqual({ going: [], why: [] });
  });

  it('owns images by its id, in any case, and none of a namesake that begins alike', () => {
    const id = seen.definition!.id;
    expect(isOurs({ kind: 'version', id: `${id.toUpperCase()}/versions/1.1.1` }, seen.definition)).toBe(true);
    expect(isOurs({ kind: 'version', id: `${id}2/versions/1.1.1` }, seen.definition)).toBe(false);
    expect(isOurs(elsewhere, seen.definition)).toBe(false);
    expect(isOurs({ kind: 'other', id }, undefined)).toBe(false);
  });
});
