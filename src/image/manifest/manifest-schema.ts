// image/manifest/manifest-schema.ts: what may image.yaml say? Each field with its limits, its default and a sentence; the check and the published JSON Schema are made from it.
import * as z from 'zod/mini';
import * as f from '../../schema/formats.ts';
import * as i from './formats.ts';

export type ManifestJsonSchema = z.core.JSONSchema.BaseSchema;

const architecture = () => z.enum(['amd64', 'arm64']);
const version = () => f.matching(/^[0-9A-Za-z][0-9A-Za-z.+~:_-]*$/, 'is not a version', 128);
const packageVersion = () =>
  f.matching(
    /^(?:\*|[0-9A-Za-z][0-9A-Za-z.+~:_-]*\*?)$/,
    'is neither a version, nor the beginning of one with * behind it, nor *',
    128,
  );

const about = {
  name: f.field('Unique in the manifest; of a package, what Debian calls it.', i.componentNameFormat()),
  licence: f.field(
    'An SPDX expression.',
    f.matching(/^[A-Za-z0-9.+() -]+$/, 'is not an SPDX expression such as Apache-2.0', 200),
  ),
  reason: f.field('Why it is on the image at all.', f.line(500)),
  update: z._default(f.field('What `image update` may propose.', z.enum(['frozen', 'patch', 'minor'])), 'patch'),
  constraints: z._default(
    f.field(
      'What it needs of other components, of `kubernetes` and of `debian`: `containerd >= 1.6`.',
      z.array(f.line(200)).check(z.maxLength(50)),
    ),
    [],
  ),
};

const deb = z.strictObject({
  ...about,
  kind: f.field('A Debian package.', z.literal('deb')),
  version: z._default(f.field('It has to be that one; `1.6.*` the newest that begins so.', packageVersion()), '*'),
});

const source = z.strictObject({
  origin: f.field('Who publishes it.', i.originFormat()),
  path: f.field('Below the origin.', i.belowOrigin()),
  sha256: f.field('Of the file as it is published.', i.sha256Format()),
});

const versions = z
  .array(
    z.strictObject({
      version: f.field('As its makers number it.', version()),
      kubernetes: z.optional(f.field('Only in the image of this patch version.', f.kubernetesVersion())),
      sources: f.field('By architecture.', z.strictObject({ amd64: z.optional(source), arm64: z.optional(source) })),
    }),
  )
  .check(z.minLength(1), z.maxLength(200));

const fetched = {
  ...about,
  versions: f.field('One for every image, or one for each Kubernetes patch version.', versions),
};

const archive = z.strictObject({
  ...fetched,
  kind: f.field('A tar archive that is unpacked.', z.literal('archive')),
  install: z.strictObject({
    to: f.field('The folder it is unpacked into.', i.installPath()),
    only: z.optional(
      f.field(
        'Only these, by their path in it; `bin/` takes what is below.',
        z.array(i.inArchive()).check(z.minLength(1), z.maxLength(500)),
      ),
    ),
    strip: z.optional(f.field('So many leading folders are left off.', f.integer(0, 16))),
  }),
});
const binary = z.strictObject({
  ...fetched,
  kind: f.field('A program.', z.literal('binary')),
  install: z.strictObject({ to: f.field('The file it becomes.', i.installPath()) }),
});
const ociImage = z.strictObject({
  ...fetched,
  kind: f.field('A container image, as an archive of its OCI layout.', z.literal('oci-image')),
  install: z.strictObject({ to: f.field('The name it is to have.', i.imageReference()) }),
});
const file = z.strictObject({
  ...about,
  kind: f.field('A file whose content is here.', z.literal('file')),
  install: z.strictObject({
    to: f.field('Where it is.', i.installPath()),
    mode: z._default(f.field('Who may do what with it.', f.fileMode()), '0644'),
  }),
  content: f.field('All of it.', z.string().check(z.maxLength(1 << 20))),
});

export const manifestSchema = z.strictObject({
  apiVersion: z.literal('headstart.dev/v1'),
  kind: z.literal('ImageManifest'),
  name: f.field(
    'With a Kubernetes version it names the definition in a gallery: `node` → `node-1.35.8`.',
    i.imageNameFormat(),
  ),
  base: z.strictObject({
    origin: f.field(
      'The distribution that packages come from.',
      f.matching(/^debian:[a-z]+$/, 'is not a Debian such as debian:bookworm', 64),
    ),
  }),
  architectures: z._default(
    f.field('Each is locked and built by itself.', z.array(architecture()).check(z.minLength(1))),
    ['amd64'],
  ),
  kubernetes: f.field(
    'Patch versions, each of which becomes an image.',
    z.array(f.kubernetesVersion()).check(z.minLength(1), z.maxLength(100)),
  ),
  disk: z.prefault(
    z.strictObject({
      budgetMb: z._default(
        f.field('What content may take: a larger image is not made.', f.integer(100, 1_000_000)),
        3000,
      ),
      warnPercent: z._default(f.field('Of the budget; above it there is a warning.', f.integer(1, 100)), 75),
      sizeMb: z._default(
        f.field('Of the disk as it is published; the root grows on the node.', f.integer(200, 2_000_000)),
        4096,
      ),
    }),
    {},
  ),
  components: f.field(
    'Everything that is on the image by name.',
    z
      .array(z.discriminatedUnion('kind', [deb, archive, binary, ociImage, file]))
      .check(z.minLength(1), z.maxLength(2000)),
  ),
});

export type ManifestDocument = z.output<typeof manifestSchema>;

/** For editors and pipelines; what has to fit together is only checked by `headstart image check`. */
export function manifestJsonSchema(): ManifestJsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(manifestSchema, { io: 'input' });
  const named = {
    $schema,
    $id: 'https://headstart.dev/v1/image.json',
    title: 'ImageManifest headstart.dev/v1',
    ...rest,
  };
  return JSON.parse(JSON.stringify(named)) as ManifestJsonSchema;
}
