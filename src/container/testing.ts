// container/testing.ts: an image of two platforms that share a layer, and how tests read the JSON in a layout.
import { layerOf } from './layer.ts';
import { joinPlatforms } from './multi-platform.ts';
import { ociImageOf } from './oci-image.ts';

const layer = (path: string) => layerOf([{ path, bytes: Buffer.from(path), isExecutable: false }]);
const shared = layer('program');
export const images = (['amd64', 'arm64'] as const).map((architecture) =>
  ociImageOf({
    architecture,
    layers: [layer(architecture), shared],
    entrypoint: ['/node'],
    env: {},
    user: '65532:65532',
    labels: {},
    name: 'headstart:1.2.3',
  }),
);
export const image = joinPlatforms(images, 'headstart:1.2.3');

type Files = ReadonlyMap<string, Uint8Array>;
export const read = (files: Files, path: string) => JSON.parse(Buffer.from(files.get(path) ?? []).toString());
export const blob = (files: Files, { digest }: { digest: string }) => read(files, `blobs/${digest.replace(':', '/')}`);
