// Versions from a disk in a storage account, with the real SDK against the simulator; the referee checks every exchange.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Referee, seatReferee } from '../../../sims/azure/referee/referee.ts';
import { Refused } from '../../base/failures.ts';
import type { Definition } from '../gallery.ts';
import { type AzureProvider, createAzureProvider } from './azure-provider.ts';
import { type AzureLab, azureLab } from './testing.ts';
import type { BlobVersionSpec } from './versions.ts';

let referee: Referee;
let lab: AzureLab;

beforeAll(async () => {
  referee = await seatReferee();
});
afterEach(async () => {
  expect(lab.sim.violations).toEqual([]);
  await lab.end();
});
afterAll(async () => {
  const { checked, rejected } = await referee.report();
  process.stderr.write(`versions of blobs: ${checked} exchanges checked by the referee\n`);
  expect(rejected).toEqual([]);
});

async function open(): Promise<{ provider: AzureProvider; definition: Definition; spec: BlobVersionSpec }> {
  lab = await azureLab({ mode: 'Uniform', sim: { referee } });
  const provider = createAzureProvider(lab.settings, lab.deps);
  const traits = { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' } as const;
  const identity = { publisher: 'headstart', offer: 'node', sku: '1.35.8' };
  const named = { gallery: 'images', name: 'node-1.35.8' };
  const region = Object.values(lab.sim.inspect().scaleSets)[0]!.location;
  const definition = await provider.gallery.ensureDefinition({ ...named, ...traits, ...identity }, region);
  const { subscriptionId, resourceGroup } = lab.settings;
  const storageAccountId = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Storage/storageAccounts/images`;
  const blob = { uri: 'https://images.blob.core.windows.net/vhds/node.vhd', storageAccountId };
  const terms = { replicas: 1, redundancy: 'local', isExcludedFromLatest: true } as const;
  return {
    provider,
    definition,
    spec: { definition, name: '2026.1116.0', region, ...terms, tags: { content: 'abc' }, blob },
  };
}

async function untilReady(provider: AzureProvider, { definition, name }: BlobVersionSpec) {
  for (;;) {
    const version = await provider.gallery.readVersion(definition, name);
    if (version?.state === 'ready' || version?.state === 'failed') return version;
    await lab.clock.sleep(60_000);
  }
}

describe('a version from a disk in a storage account', () => {
  it('becomes ready with the requested settings, and can be begun twice', async () => {
    const { provider, spec } = await open();
    await provider.gallery.beginVersionFromBlob(spec);
    await provider.gallery.beginVersionFromBlob(spec);
    const made = await untilReady(provider, spec);
    expect(made).toMatchObject({ state: 'ready', isExcludedFromLatest: true, tags: { content: 'abc' } });
    const [seen] = Object.values(lab.sim.inspect().versions);
    expect(seen?.properties).toMatchObject({ storageProfile: { osDiskImage: { source: spec.blob } } });
  });

  it('gets tags, is excluded and included again, and keeps its source', async () => {
    const { provider, definition, spec } = await open();
    await provider.gallery.beginVersionFromBlob(spec);
    const made = await untilReady(provider, spec);
    await provider.gallery.tagVersion(definition, spec.name, { channel: 'dev' });
    await provider.gallery.setExcludedFromLatest(definition, spec.name, false);
    expect(await untilReady(provider, spec)).toEqual({
      ...made,
      isExcludedFromLatest: false,
      tags: { content: 'abc', channel: 'dev' },
    });
  });

  it('is refused without a storage account', async () => {
    const { provider, spec } = await open();
    const broken = { ...spec, blob: { ...spec.blob, storageAccountId: '/none' } };
    await expect(provider.gallery.beginVersionFromBlob(broken)).rejects.toBeInstanceOf(Refused);
  });
});
