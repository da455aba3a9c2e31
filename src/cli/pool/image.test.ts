import { describe, expect, it } from 'vitest';
import { resolvePoolImage } from './image.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { signal } = new AbortController();
const resolve = (image: string) => resolvePoolImage(world.pools, image, signal);
const version = (name: string) => world.pools.state.versions.get(`galleries/headstart/debian-12/${name}`)!;

describe('resolvePoolImage', () => {
  it.each(['debian-12', 'headstart/debian-12', 'galleries/headstart/debian-12'])(
    'resolves %s to the newest version',
    async (name) => {
      await world.pools.addImage('headstart', 'debian-12', '2026.11.9');
      expect((await resolve(name)).name).toBe('2026.11.15');
    },
  );

  it('never chooses a version that is excluded from latest, unless it is named', async () => {
    version('2026.11.15').isExcludedFromLatest = true;
    expect((await resolve('debian-12')).name).toBe('2026.11.14');
    expect((await resolve('headstart/debian-12/2026.11.15')).name).toBe('2026.11.15');
  });

  it.each([
    ['debian-13', 'pool/no-image', '`headstart pool base --suite trixie` builds it'],
    ['debian-99', 'pool/no-image', '`headstart image list --vms qemu`'],
    ['mine/x', 'pool/no-image', '`headstart image list --vms qemu --gallery mine`'],
    ['debian-12/2026.1.1', 'pool/no-image', ''],
    ['headstart/debian-12/2026.1.1', 'pool/no-image', 'choose an image with --image'],
    ['a/b/c/d', 'pool/bad-image', 'GALLERY/DEFINITION/VERSION'],
    ['debian-12/', 'pool/bad-image', ''],
    ['', 'pool/bad-image', ''],
  ])('refuses %j with %s', async (name, code, next) => {
    await expect(resolve(name)).rejects.toMatchObject({ code, next: expect.stringContaining(next) });
  });

  it('names the existing versions for an unknown one', async () => {
    await expect(resolve('headstart/debian-12/2026.1.1')).rejects.toThrow('known versions: 2026.11.14, 2026.11.15');
  });
});
