import { beforeEach, describe, expect, it } from 'vitest';
import { writeBuild, writeTest } from '../../image/publish/testing.ts';
import type { OpenGallery } from '../compose/open-gallery.ts';
import { runVerb } from '../testing.ts';
import { imagePublish } from './publish.ts';
import { useGallery, useLocks } from './testing.ts';

const { place } = useLocks();
const gallery = useGallery(place);
const folder = place('2026.1116.0');
const publish = (...argv: string[]) => runVerb(imagePublish(gallery.open), [folder, ...argv]);

let content: string;
beforeEach(() => {
  content = writeBuild(folder, { contentSha256: `${'0'.repeat(63)}0` }).contentSha256;
  writeTest(folder, content);
});

describe('image publish', () => {
  it('prints with --dry-run what it would publish, and publishes nothing', async () => {
    const { code, stdout } = await publish('--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^would /);
    expect(JSON.parse((await publish('--dry-run', '--json')).stdout)).toMatchObject({
      kind: 'ImagePublishPlan',
      gallery: 'headstart',
      changes: stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/^would /, '')),
    });
    expect(await gallery.list()).toEqual([]);
  });

  it('succeeds if the version already exists with the same content', async () => {
    await gallery.publish('2026.1116.0');
    const { code, stdout, stderr } = await publish();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/ {2}tested; it already exists\n$/);
    expect(stderr).toContain('next:  headstart image promote node-1.35.8/2026.1116.0 --to dev');
  });

  it('refuses a folder that is not a build', async () => {
    const ran = await runVerb(imagePublish(gallery.open), [place('nothing')]);
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining('code:  image/') });
  });

  it('needs a region on Azure, and fails before it sends anything', async () => {
    const settings = { subscriptionId: 's', resourceGroup: 'g', endpoint: 'https://management.azure.com' };
    const opened = { kind: 'azure', name: 'images', provider: gallery.provider, settings };
    const open = (async () => opened) as unknown as OpenGallery;
    const { code, stderr } = await runVerb(imagePublish(open), [folder, '--storage-account', 'images1']);
    expect(code).toBe(2);
    expect(stderr).toContain('code:  image/no-region');
  });
});
