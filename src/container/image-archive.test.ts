import { parseTar } from 'nanotar';
import { describe, expect, it } from 'vitest';
import { imageArchive } from './image-archive.ts';
import { joinPlatforms } from './multi-platform.ts';
import { blob, image, images, read } from './testing.ts';

describe('imageArchive', () => {
  const archive = imageArchive(image, 'headstart:1.2.3');
  const entries = parseTar(new Uint8Array(archive));
  const files = new Map(entries.map(({ name, data }) => [name, data ?? new Uint8Array()]));

  it('contains the layout, the small files first', () => {
    expect(entries.slice(0, 3).map(({ name }) => name)).toEqual(['index.json', 'manifest.json', 'oci-layout']);
    for (const [path, bytes] of image.files) expect(Buffer.from(files.get(path)!)).toEqual(Buffer.from(bytes));
    expect(files.size).toBe(image.files.size + 1);
    expect(Buffer.from(archive.subarray(-1024))).toEqual(Buffer.alloc(1024));
  });

  it("lists each platform in Docker's file under a tag of its own", () => {
    const list = read(files, 'manifest.json') as { Config: string; RepoTags: string[]; Layers: string[] }[];
    expect(list.map(({ RepoTags }) => RepoTags)).toEqual([['headstart:1.2.3-amd64'], ['headstart:1.2.3-arm64']]);
    for (const [at, { Config, Layers }] of list.entries()) {
      const manifest = blob(files, images[at]!.manifest);
      expect(Config).toBe(`blobs/${manifest.config.digest.replace(':', '/')}`);
      expect(Layers).toEqual(
        manifest.layers.map(({ digest }: { digest: string }) => `blobs/${digest.replace(':', '/')}`),
      );
    }
  });

  it('returns the same bytes for the same image', () => {
    expect(imageArchive(joinPlatforms(images, 'headstart:1.2.3'), 'headstart:1.2.3')).toEqual(archive);
  });
});
