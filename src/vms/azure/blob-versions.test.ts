// A version of a disk in a storage account, with the real SDK against the simulator; every exchange is held against the specifications.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Referee, seatReferee } from '../../../sims/azure/referee/referee.ts';
import { Refused } from '../../base/failures.ts';
import type { Definition } from '../gallery.ts';
import { type AzureFactory, createAzureFactory } from './azure-factory.ts';
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
  process.stderr.write(`versions of blobs: ${checked} exchanges before the referee\n`);
  expect(rejected).toEqual([]);
});

async function open(): Promise<{ factory: AzureFactory; definition: Definition; spec: BlobVersionSpec }> {
  lab = await azureLab({ mode: 'Uniform', sim: { referee } });
  const factory = createAzureFactory(lab.settings, lab.deps);
  const traits = { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' } as const;
  const identity = { publisher: 'headstart', offer: 'node', sku: '1.35.8' };
  const named = { gallery: 'images', name: 'node-1.35.8' };
  const region = Object.values(lab.sim.inspect().scaleSets)[0]!.location;
  const definition = await factory.gallery.ensureDefinition({ ...named, ...traits, ...identity }, region);
  const { subscriptionId, resourceGroup } = lab.settings;
  const storageAccountId = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Storage/storageAccounts/images`;
  const blob = { uri: 'https://images.blob.core.windows.net/vhds/node.vhd', storageAccountId };
  const terms = { replicas: 1, redundancy: 'local', isExcludedFromLatest: true } as const;
  return {
    factory,
    definition,
    spec: { definition, name: '2026.1116.0', region, ...terms, tags: { content: 'abc' }, blob },
  };
}

async function untilReady(factory: AzureFactory, { definition, name }: BlobVersionSpec) {
  for (;;) {
    const version = await factory.gallery.readVersion(definition, name);
    if (version?.state === 'ready' || version?.state === 'failed') return version;
    await lab.clock.sleep(60_000);
  }
}

describe('a version of a disk in a storage account', () => {
  it('becomes ready as it was asked for, and beginning it twice is once', async () => {
    const { factory, spec } = await open();
    await factory.gallery.beginVersionFromBlob(spec);
    await factory.gallery.beginVersionFromBlob(spec);
    const made = await untilReady(factory, spec);
    expect(made).toMatchObject({ state: 'ready', isExcludedFromLatest: true, tags: { content: 'abc' } });
    const [seen] = Object.values(lab.sim.inspect().versions);
    expect(seen?.properties).toMatchObject({ storageProfile: { osDiskImage: { source: spec.blob } } });
  });

  it('takes tags, is shown and hidden, and keeps its source', async () => {
    const { factory, definition, spec } = await open();
    await factory.gallery.beginVersionFromBlob(spec);
    const made = await untilReady(factory, spec);
    await factory.gallery.tagVersion(definition, spec.name, { channel: 'dev' });
    await factory.gallery.setExcludedFromLatest(definition, spec.name, false);
    expect(await untilReady(factory, spec)).toEqual({
      ...made,
      isExcludedFromLatest: false,
      tags: { content: 'abc', channel: 'dev' },
    });
  });

  it('is refused without an account', async () => {
    const { factory, spec } = await open();
    const broken = { ...spec, blob: { ...spec.blob, storageAccountId: '/none' } };
    await expect(factory.gallery.beginVersionFromBlob(broken)).rejects.toBeInstanceOf(Refused);
  });
});
