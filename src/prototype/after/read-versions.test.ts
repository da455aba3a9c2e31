import { describe, expect, it } from 'vitest';
import { TAGS } from '../names.ts';
import { lab } from '../testing.ts';
import { readVersions } from './read-versions.ts';

describe('the versions of a pool', () => {
  it('are not those of another pool of the same name in the same gallery', async () => {
    const world = lab();
    await world.run();
    const site = { provider: world.provider, gallery: world.intent.gallery };
    const { signal } = new AbortController();
    expect((await readVersions(site, world.ref.pool, signal)).versions).toHaveLength(1);
    const [version] = world.provider.state.versions.values();
    version!.tags = { ...version!.tags, [TAGS.pool]: '/groups/two/pools/pool1' };
    expect((await readVersions(site, world.ref.pool, signal)).versions).toEqual([]);
  });

  it('are none before the first run', async () => {
    const world = lab();
    const site = { provider: world.provider, gallery: world.intent.gallery };
    const seen = await readVersions(site, world.ref.pool, new AbortController().signal);
    expect(seen).toEqual({ definition: undefined, versions: [] });
  });
});
