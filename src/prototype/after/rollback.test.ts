import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { Version } from '../../vms/gallery.ts';
import type { Pool } from '../../vms/pools.ts';
import { MODEL_TAG } from '../names.ts';
import { lab } from '../testing.ts';
import { originalNotSaved, type RollbackTargets, rollbackToOriginal, rollbackToVersion } from './rollback.ts';

const version = (name: string, state: Version['state'] = 'ready'): Version => ({
  name,
  id: `/g/d/versions/${name}`,
  state,
  percent: 100,
  isExcludedFromLatest: false,
  replicas: 1,
  redundancy: 'zone',
  sizeGb: 30,
  createdMs: 0,
  tags: {},
});

function pool(current?: string, tags: Record<string, string> = {}): Pool {
  const { provider, donor } = lab();
  const { customData: _, instances: __, ...seen } = provider.state.pools.get(donor.ref.pool.id)!;
  const image = current === undefined ? seen.model.image : { kind: 'version' as const, id: `/g/d/versions/${current}` };
  return { ...seen, tags, model: { ...seen.model, image } };
}

const ways = (versions: Version[], more: Partial<RollbackTargets> = {}): RollbackTargets => ({
  verb: 'rollback',
  versions,
  hasOriginal: true,
  ...more,
});

function failure(run: () => unknown): UserError {
  try {
    run();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('rollback', () => {
  it('goes to the version before the current one, and refuses a version that does not exist or is not ready', () => {
    const all = ways([version('2026.11.2'), version('2026.11.14', 'replicating'), version('2026.11.15')]);
    const now = pool('2026.11.15');
    expect(rollbackToVersion(now, all, undefined).image).toEqual({ kind: 'version', id: '/g/d/versions/2026.11.2' });
    expect(() => rollbackToVersion(now, all, '2026.11.14')).toThrow(/is replicating/);
    expect(() => rollbackToVersion(now, all, '2026.1.1')).toThrow(/there is no version 2026.1.1.*known: 2026.11.2/);
  });

  it('to the original restores image, custom data and extensions in one update, and refuses without custom data', () => {
    const image = { kind: 'marketplace' as const, publisher: 'p', offer: 'o', sku: 's', version: 'latest' };
    const model = { image, customData: 'eA==', extensions: [{ name: 'bootstrap' }, { name: 'vmssCSE' }] };
    const change = rollbackToOriginal(pool('1.0.0'), model);
    expect(change).toMatchObject({ image, bootstrap: { customData: 'eA==' } });
    expect(change.extensions.add).toEqual([{ name: 'vmssCSE' }]);
    expect(() => rollbackToOriginal(pool('1.0.0'), { image, extensions: [] })).toThrow(/no custom data/);
    expect(rollbackToOriginal(pool('1.0.0'), { image, customData: '', extensions: [] }).bootstrap).toBe('none');
  });
});

describe('a rollback to the original', () => {
  const image = { kind: 'marketplace' as const, publisher: 'p', offer: 'o', sku: 's', version: 'latest' };

  it.each([
    ['Azure', (name: string, after: string[]) => ({ name, properties: { provisionAfterExtensions: after } })],
    ['other', (name: string, after: string[]) => ({ name, after })],
  ])('restores the orderings that the switch cut, in the format of %s providers', (_provider, saved) => {
    const now = pool('1.0.0');
    const agent = { name: 'agent', publisher: 'Crowdstrike.Falcon', type: 'FalconSensorLinux', after: ['billing'] };
    now.model = { ...now.model, extensions: [agent, { ...agent, name: 'billing', after: [] }] };
    const extensions = [saved('vmssCSE', []), saved('agent', ['vmssCSE', 'gone']), saved('billing', [])];
    expect(rollbackToOriginal(now, { image, customData: 'eA==', extensions }).extensions).toEqual({
      keep: ['agent', 'billing'],
      add: [extensions[0]],
      after: { agent: ['billing', 'vmssCSE'] },
    });
  });
});

describe('the next step after a failed rollback', () => {
  it('states for a pool that no run has changed that there is nothing to roll back', () => {
    const nothing = ways([], { hasOriginal: false });
    const { message, next } = failure(() => rollbackToVersion(pool(), nothing, undefined));
    expect(message).toMatch(/^there is nothing to roll back: no run has changed /);
    expect(next).toContain('headstart prototype status --pool ');
    expect(originalNotSaved(pool(), nothing).next).toContain('headstart prototype status --pool ');
  });

  it('is the original if nothing else exists', () => {
    const only = ways([version('1.0.0')]);
    expect(failure(() => rollbackToVersion(pool('1.0.0'), only, undefined)).next).toContain('--to original');
  });

  it('is a ready version if no original is saved, preferably the one that was probably meant', () => {
    const two = ways([version('1.0.1'), version('2.0.0'), version('3.0.0')], { hasOriginal: false });
    expect(originalNotSaved(pool('3.0.0'), two).next).toContain('--to 2.0.0');
    expect(failure(() => rollbackToVersion(pool('3.0.0'), two, '1.0.11')).next).toContain('--to 1.0.1');
  });

  it('names the verb that was used', () => {
    const none = ways([], { verb: 'uninstall', hasOriginal: false });
    expect(failure(() => rollbackToVersion(pool(), none, '1.0.0')).next).toContain('uninstall --pool');
  });

  it('never leads to the same error, in any state of the pool', () => {
    const states = fc.constantFrom<Version['state']>('ready', 'replicating', 'failed', 'creating', 'deleting');
    const names = fc.uniqueArray(fc.constantFrom('1.0.0', '1.0.1', '2.0.0', '3.0.0'), { maxLength: 4 });
    const world = fc.record({
      versions: names.chain((all) => fc.tuple(...all.map((name) => states.map((state) => version(name, state))))),
      hasOriginal: fc.boolean(),
      verb: fc.constantFrom('rollback' as const, 'uninstall' as const),
      current: fc.option(fc.constantFrom('1.0.0', '2.0.0', '3.0.0', '9.9.9'), { nil: undefined }),
      wanted: fc.option(fc.constantFrom('1.0.0', '1.0.11', '2.0.0', '7.7.7', 'original'), { nil: undefined }),
      isTagged: fc.boolean(),
    });
    fc.assert(
      fc.property(world, ({ versions, hasOriginal, verb, current, wanted, isTagged }) => {
        const now = pool(current, isTagged ? { [MODEL_TAG]: 'x' } : {});
        const asked = ways(versions, { hasOriginal, verb });
        const next = nextOf(wanted);
        const to = /--to ([^\s`]+)/.exec(next ?? '')?.[1];
        if (to !== undefined && to !== 'keep') expect(nextOf(to), `${next}`).toBeUndefined();

        /** undefined: it works. */
        function nextOf(target: string | undefined): string | undefined {
          if (target === 'original') return hasOriginal ? undefined : originalNotSaved(now, asked).next;
          try {
            rollbackToVersion(now, asked, target);
            return undefined;
          } catch (error) {
            return (error as UserError).next;
          }
        }
      }),
    );
  });
});
