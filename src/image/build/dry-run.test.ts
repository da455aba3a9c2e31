import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { planBuild } from './dry-run.ts';
import { layerKey } from './layers/base-layer.ts';
import { sharedKey } from './layers/shared-layer.ts';
import { aLock, anArtifact, SOME_TOOLS } from './locks.testing.ts';
import { PER_VERSION } from './pipeline.ts';
import type { Places } from './stage.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-plan-'));
afterAll(() => rmSync(top, { recursive: true }));

const several = aLock([anArtifact('libc6', 'deb'), anArtifact('a', 'binary', { bytes: 3 << 20 })]);
const single = aLock(several.artifacts, { kubernetes: ['1.35.8'] });
const targetsOf = (lock: typeof several) => lock.kubernetes.map((kubernetes) => ({ lock, kubernetes }));
const placesIn = (name: string): Places => ({
  ...{ cacheFolder: join(top, name), out: join(top, name, 'out'), formats: ['qcow2'], tools: SOME_TOOLS },
});

function keep(places: Places, key: string, record: string): void {
  mkdirSync(join(places.cacheFolder, 'layers', key), { recursive: true });
  writeFileSync(join(places.cacheFolder, 'layers', key, record), '{}');
}

async function sharedIn(lock: typeof several, places: Places | undefined, isOffline = false) {
  const planned = await planBuild({ targets: targetsOf(lock), isOffline, places });
  return planned.filter(({ kubernetes }) => kubernetes === '').map(({ title, isThere }) => [title, isThere]);
}

describe('planBuild', () => {
  it('lists shared stages once, and the other stages for each image', async () => {
    const planned = await planBuild({ targets: targetsOf(several), isOffline: false, places: placesIn('none') });
    const ids = PER_VERSION.map(({ id }) => id);
    expect(planned.map(({ id, kubernetes }) => `${id} ${kubernetes}`.trim())).toEqual([
      ...['fetch', 'base-layer', 'shared-layer'],
      ...ids.map((id) => `${id} 1.35.8`),
      ...ids.map((id) => `${id} 1.35.7`),
    ]);
    expect(planned.some(({ isThere }) => isThere)).toBe(false);
  });

  it('states how much is fetched and installed', async () => {
    expect(await sharedIn(several, placesIn('none'))).toEqual([
      ['fetch missing files (of 2, 4 MiB in total)', false],
      ['make the base layer of 1 packages', false],
      ['make the shared layer', false],
    ]);
  });

  it('has no shared layer for one version, and no fetch stage offline', async () => {
    const titles = (await sharedIn(single, placesIn('none'), true)).map(([title]) => title);
    expect(titles).toEqual(['make the base layer of 1 packages']);
  });

  it('marks layers that the cache has', async () => {
    const places = placesIn('kept');
    const key = layerKey(several, SOME_TOOLS);
    keep(places, key, 'layer.json');
    expect((await sharedIn(several, places)).map(([, isThere]) => isThere)).toEqual([false, true, false]);
    keep(places, sharedKey(targetsOf(several)[0]!, { key }), 'shared.json');
    expect((await sharedIn(several, places)).map(([, isThere]) => isThere)).toEqual([false, true, true]);
  });

  it('marks nothing as existing while a tool is missing', async () => {
    expect((await sharedIn(several, undefined)).map(([, isThere]) => isThere)).toEqual([false, false, false]);
  });
});
