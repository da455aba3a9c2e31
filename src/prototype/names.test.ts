import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PoolRef } from '../vms/pools.ts';
import {
  checkGalleryName,
  compareVersionNames,
  datedSnapshotName,
  FORMER,
  galleryName,
  isOfOtherPool,
  lastRunName,
  leaseName,
  poolMark,
  prototypeDefinitionName,
  prototypeLabels,
  savedModelName,
  snapshotName,
  TAGS,
} from './names.ts';

describe('compareVersionNames', () => {
  it('compares each part as an integer', () => {
    expect(['2026.10.9', '2026.2.10', '2026.10.10'].sort(compareVersionNames)).toEqual([
      '2026.2.10',
      '2026.10.9',
      '2026.10.10',
    ]);
  });
});

describe('datedSnapshotName', () => {
  it.each(['headstart-pool1-prototype', `headstart-${'p'.repeat(64)}-prototype`])(
    'of %s is a name that Azure accepts',
    (usual) => {
      const name = datedSnapshotName(usual, '2026.11.15');
      expect(name).toMatch(/^headstart-p.*-2026\.11\.15$/);
      expect(name.length).toBeLessThanOrEqual(80);
      expect(name).not.toBe(datedSnapshotName(usual, '2026.11.16'));
    },
  );
});

describe('galleryName', () => {
  it('replaces dashes and refuses a cluster name with other characters', () => {
    expect(galleryName('my-cluster')).toBe('SIG_my_cluster');
    for (const group of ['no spaces', '']) expect(() => galleryName(group)).toThrow(/does not make a gallery name/);
    expect(checkGalleryName('SIG_my.1')).toBe('SIG_my.1');
    for (const name of ['my-gallery', 'ends_', '.starts', 'g'.repeat(81)])
      expect(() => checkGalleryName(name)).toThrow(/is not a gallery name/);
    expect(() => galleryName('ends-')).toThrow(/does not make a gallery name/);
  });
});

const inGroup = (group: string, name: string): PoolRef => ({
  id: `/subscriptions/${'0'.repeat(36)}/resourceGroups/${group}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`,
  name,
});

describe('the lease, the saved model and the snapshot of a pool', () => {
  const names = (pool: PoolRef) => [leaseName, savedModelName, lastRunName, snapshotName].map((nameOf) => nameOf(pool));

  it.each([
    ['of one name in two resource groups', inGroup('one', 'pool1'), inGroup('two', 'pool1')],
    ['whose names differ in what Kubernetes does not accept', inGroup('one', 'a_b'), inGroup('one', 'a-b')],
    ['whose long names differ at the end', inGroup('one', `${'p'.repeat(63)}1`), inGroup('one', `${'p'.repeat(63)}2`)],
  ])('are not shared by pools %s', (_, one, other) => {
    expect(names(one).filter((name, i) => name === names(other)[i])).toEqual([]);
  });

  it('are the same in any spelling of the id', () => {
    const pool = inGroup('One', 'pool1');
    expect(names({ ...pool, id: pool.id.toUpperCase() })).toEqual(names(pool));
  });

  it('have names that Kubernetes and Azure accept, whatever the pool is called', () => {
    const characters = ['a', 'Z', '0', '_', '.', '-'];
    const pools = Array.from({ length: 80 }, (_, i) => i + 1).flatMap((length) =>
      characters.flatMap((first) =>
        characters.map((last) => inGroup('g', `${first}${last.repeat(length)}`.slice(0, length))),
      ),
    );
    for (const pool of pools) {
      for (const name of [leaseName(pool), savedModelName(pool), lastRunName(pool)]) {
        expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      }
      expect(snapshotName(pool)).toMatch(/^[A-Za-z0-9][\w.-]{0,78}\w$/);
      expect(prototypeDefinitionName(pool)).toMatch(/^[A-Za-z0-9][\w.-]{0,78}[A-Za-z0-9]$/);
    }
  });

  it('keep their names in every release', () => {
    const pool = inGroup('rg', 'k8s-pool1-12345678-vmss');
    expect(names(pool)).toEqual([
      'headstart-prototype-k8s-pool1-12345678-vmss-f81dc4b9',
      'headstart-recipe-k8s-pool1-12345678-vmss-f81dc4b9',
      'headstart-last-run-k8s-pool1-12345678-vmss-f81dc4b9',
      'headstart-k8s-pool1-12345678-vmss-f81dc4b9-prototype',
    ]);
    expect(FORMER.leaseName(inGroup('rg', 'K8s_Pool.1'))).toBe('headstart-prototype-k8s-pool-1');
    expect(FORMER.savedModelName(inGroup('rg', 'K8s_Pool.1'))).toBe('headstart-recipe-k8s-pool-1');
  });
});

describe('the definition of a pool', () => {
  it('has the name that kamino gives it', () => {
    expect(prototypeDefinitionName(inGroup('rg', 'k8s-pool1-vmss'))).toBe('kamino-k8s-pool1-vmss-prototype');
  });

  it('is not shared by pools whose names are too long for it', () => {
    const [one, other] = ['1', '2'].map((end) => prototypeDefinitionName(inGroup('rg', `${'p'.repeat(63)}${end}`)));
    expect(one).not.toBe(other);
  });
});

describe('the mark of a pool', () => {
  it('tells pools of one name apart, in any case, and says nothing where there is none', () => {
    const [one, two] = [inGroup('one', 'pool1'), inGroup('two', 'pool1')];
    expect(isOfOtherPool({ [TAGS.pool]: poolMark(one) }, two)).toBe(true);
    expect(isOfOtherPool({ [TAGS.pool]: poolMark(one) }, one)).toBe(false);
    expect(isOfOtherPool({ [TAGS.pool]: one.id.toUpperCase() }, one)).toBe(false);
    expect(isOfOtherPool({}, one)).toBe(false);
  });

  it('fits in a tag', () => {
    const long = inGroup('g'.repeat(90), 'p'.repeat(64));
    expect(long.id.length).toBeGreaterThan(256);
    expect(poolMark(long).length).toBeLessThanOrEqual(256);
    expect(isOfOtherPool({ [TAGS.pool]: poolMark(long) }, inGroup('g'.repeat(90), 'q'.repeat(64)))).toBe(true);
  });
});

describe('the labels of a definition', () => {
  it('are within the limits of Azure, keep long names apart and short ones readable', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 90 }),
        fc.string({ minLength: 1, maxLength: 90 }),
        (gallery, pool) => {
          const { offer, sku } = prototypeLabels(gallery, inGroup('rg', pool));
          for (const label of [offer, sku]) expect(label.length).toBeLessThanOrEqual(64);
        },
      ),
    );
    const [one, other] = ['1', '2'].map((end) => prototypeLabels('g', inGroup('rg', `${'p'.repeat(70)}${end}`)).sku);
    expect(one).not.toBe(other);
    expect(prototypeLabels('SIG_g', inGroup('rg', 'pool1'))).toEqual({ offer: 'SIG_g', sku: 'pool1' });
  });
});
