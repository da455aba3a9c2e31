import { describe, expect, it } from 'vitest';
import type { AzureScaleSet } from '../scale-set.ts';
import { scaleSetSchema } from '../scale-set.ts';
import { notesOf, refusalsOf, type StandbyRequest } from './refusals.ts';
import { counts } from './standby.testing.ts';
import { standbyName } from './standby-name.ts';

const id = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/pool1';
const setWith = (properties: object = {}, more: object = {}): AzureScaleSet =>
  scaleSetSchema.parse({
    id,
    name: 'pool1',
    location: 'westeurope',
    sku: { name: 'Standard_D4s_v5', capacity: 3 },
    properties: {
      orchestrationMode: 'Flexible',
      platformFaultDomainCount: 1,
      additionalCapabilities: { hibernationEnabled: true },
      ...properties,
    },
    ...more,
  });
const poolOf = (name: string, virtualMachineState = 'Running') => ({
  id: `/${name}`,
  name,
  location: 'westeurope',
  properties: { virtualMachineState },
});
const ours = standbyName({ id, name: 'pool1' });
const ask = (some: Partial<StandbyRequest> = {}): StandbyRequest => ({
  set: setWith(),
  policy: { counts: counts({ frozen: 1 }) },
  name: ours,
  attached: undefined,
  region: 'West Europe',
  ...some,
});
const ephemeral = { virtualMachineProfile: { storageProfile: { osDisk: { diffDiskSettings: { option: 'Local' } } } } };
const policy = (some: Parameters<typeof counts>[0]) => ({ policy: { counts: counts(some) } });

describe('a scale set', () => {
  it('that fits is not refused', () => {
    expect(refusalsOf(ask())).toEqual([]);
    expect(refusalsOf(ask({ attached: poolOf(ours.toUpperCase()) }))).toEqual([]);
    expect(refusalsOf(ask(policy({})))).toEqual([]);
  });

  it.each<[string, Partial<StandbyRequest>, string]>([
    ['Uniform', { set: setWith({ orchestrationMode: 'Uniform' }) }, 'uniform'],
    ['with several fault domains', { set: setWith({ platformFaultDomainCount: 3 }) }, 'fault-domains'],
    ['in another region', { region: 'eastus' }, 'region'],
    ['with the pool of someone else', { attached: poolOf('theirs') }, 'attached'],
    ['without hibernation', { set: setWith({ additionalCapabilities: null }) }, 'no-hibernation'],
    ['of a size that cannot be hibernated', { set: setWith({}, { sku: { name: 'Standard_B2ms' } }) }, 'size'],
    ['with ephemeral disks, for stopped ones', { set: setWith(ephemeral), ...policy({ stopped: 1 }) }, 'ephemeral'],
    ['of more than 1,000', policy({ paused: 998 }), 'too-many'],
    ['for less than none', policy({ paused: 3, stopped: -1 }), 'bad-counts'],
    ['for a part of one', policy({ paused: 0.5 }), 'bad-counts'],
    ['for no number', policy({ paused: Number.NaN }), 'bad-counts'],
    ['whose VMs are deallocated, for hibernated ones', { attached: poolOf(ours, 'Deallocated') }, 'through-running'],
    ['with an age', { policy: { counts: counts({ paused: 1 }), maxAgeMs: 1 } }, 'max-age'],
  ])('%s is refused with a next step', (_, asked, code) => {
    const refusals = refusalsOf(ask(asked));
    expect(refusals.map((one) => one.code)).toEqual([`standby/${code}`]);
    expect(refusals[0]?.next).not.toBe('');
  });

  it('is refused for everything at once', () => {
    const set = setWith({ ...ephemeral, orchestrationMode: 'Uniform', additionalCapabilities: null });
    expect(refusalsOf(ask({ set })).map(({ code }) => code)).toEqual([
      'standby/uniform',
      'standby/ephemeral',
      'standby/no-hibernation',
    ]);
  });

  it('can have running VMs on ephemeral disks', () => {
    expect(refusalsOf(ask({ set: setWith(ephemeral), ...policy({ paused: 1 }) }))).toEqual([]);
  });

  it('of a size that is not documented gets a warning only for frozen instances', () => {
    const set = setWith({}, { sku: { name: 'Standard_D4s_v6', capacity: 1 } });
    expect(notesOf(ask({ set }))).toEqual([expect.stringContaining('Standard_D4s_v6')]);
    expect(notesOf(ask({ set, ...policy({ paused: 1 }) }))).toEqual([]);
    expect(refusalsOf(ask({ set }))).toEqual([]);
  });
});

it('a standby pool has a name that Azure accepts, and two sets have two', () => {
  const names = ['pool1', 'k8s-pool1-12345678-vmss', 'k8s-pool1-12345679-vmss', 'a_b.c'].map((name) =>
    standbyName({ id: `/x/${name}`, name }),
  );
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9-]{3,24}$/);
  expect(new Set(names).size).toBe(names.length);
});
