// image/manifest/manifest-schema.ts: which fields may image.yaml have, with which limits and defaults? The published JSON Schema comes from here.
import * as z from 'zod/mini';
import * as f from '../../schema/formats.ts';
import * as i from './formats.ts';

export type ManifestJsonSchema = z.core.JSONSchema.BaseSchema;

const architecture = () => z.enum(['amd64', 'arm64']);
const version = () => f.matching(/^[0-9A-Za-z][0-9A-Za-z.+~:_-]*$/, 'is not a version', 128);
const packageVersion = () =>
  f.matching(/^(?:\*|[0-9A-Za-z][0-9A-Za-z.+~:_-]*\*?)$/, 'is not a version, a prefix with * such as 1.6.*, or *', 128);

const commonFields = {
  name: f.field('Unique in the manifest; for a package, its Debian name.', i.componentNameFormat()),
  licence: f.field(
    'An SPDX expression.',
    f.matching(/^[A-Za-z0-9.+() -]+$/, 'is not an SPDX expression such as Apache-2.0', 200),
  ),
  reason: f.field('Why the image needs it.', f.line(500)),
  update: z._default(
    f.field('Which updates `image update` may propose.', z.enum(['frozen', 'patch', 'minor'])),
    'patch',
  ),
  constraints: z._default(
    f.field(
      'Versions it requires of other components, `kubernetes` or `debian`: `containerd >= 1.6`.',
      z.array(f.line(200)).check(z.maxLength(50)),
    ),
    [],
  ),
};

const deb = z.strictObject({
  ...commonFields,
  kind: f.field('A Debian package.', z.literal('deb')),
  version: z._default(
    f.field('An exact version, or `1.6.*` for the newest one that begins with 1.6.', packageVersion()),
    '*',
  ),
});

const source = z.strictObject({
  origin: f.field('Who publishes it.', i.originFormat()),
  path: f.field('Path below the origin.', i.belowOrigin()),
  sha256: f.field('sha256 of the published file.', i.sha256Format()),
});

const versions = z
  .array(
    z.strictObject({
      version: f.field('The upstream version number.', version()),
      kubernetes: z.optional(f.field('Only in the image of this patch version.', f.kubernetesVersion())),
      sources: f.field('By architecture.', z.strictObject({ amd64: z.optional(source), arm64: z.optional(source) })),
    }),
  )
  .check(z.minLength(1), z.maxLength(200));

const fetched = {
  ...commonFields,
  versions: f.field('One for every image, or one for each Kubernetes patch version.', versions),
};

const archive = z.strictObject({
  ...fetched,
  kind: f.field('A tar archive that is unpacked.', z.literal('archive')),
  install: z.strictObject({
    to: f.field('The folder it is unpacked into.', i.installPath()),
    only: z.optional(
      f.field(
        'Extract only these paths of the archive; `bin/` selects everything below it.',
        z.array(i.inArchive()).check(z.minLength(1), z.maxLength(500)),
      ),
    ),
    strip: z.optional(f.field('Number of leading folders to strip from each path.', f.integer(0, 16))),
  }),
});
const binary = z.strictObject({
  ...fetched,
  kind: f.field('A program.', z.literal('binary')),
  install: z.strictObject({ to: f.field('Path of the program on the image.', i.installPath()) }),
});
const ociImage = z.strictObject({
  ...fetched,
  kind: f.field('A container image, as an archive of its OCI layout.', z.literal('oci-image')),
  install: z.strictObject({ to: f.field('Name of the container image on the node.', i.imageReference()) }),
});
const file = z.strictObject({
  ...commonFields,
  kind: f.field('A file with inline content.', z.literal('file')),
  install: z.strictObject({
    to: f.field('Path of the file on the image.', i.installPath()),
    mode: z._default(f.field('Permissions, in octal.', f.fileMode()), '0644'),
  }),
  content: f.field('The whole content of the file.', z.string().check(z.maxLength(1 << 20))),
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
      f.matching(/^debian:[a-z]+$/, 'is not a Debian suite such as debian:bookworm', 64),
    ),
  }),
  architectures: z._default(
    f.field('Each architecture has its own lock and images.', z.array(architecture()).check(z.minLength(1))),
    ['amd64'],
  ),
  kubernetes: f.field(
    'Kubernetes patch versions; each becomes one image.',
    z.array(f.kubernetesVersion()).check(z.minLength(1), z.maxLength(100)),
  ),
  disk: z.prefault(
    z.strictObject({
      budgetMb: z._default(
        f.field('Maximum size of the content; the build refuses a larger image.', f.integer(100, 1_000_000)),
        3000,
      ),
      warnPercent: z._default(f.field('The build warns above this percentage of the budget.', f.integer(1, 100)), 75),
      sizeMb: z._default(
        f.field('Size of the published disk; the root partition grows on the node.', f.integer(200, 2_000_000)),
        4096,
      ),
    }),
    {},
  ),
  components: f.field(
    'Everything that the image contains, by name.',
    z
      .array(z.discriminatedUnion('kind', [deb, archive, binary, ociImage, file]))
      .check(z.minLength(1), z.maxLength(2000)),
  ),
});

export type ManifestDocument = z.output<typeof manifestSchema>;

/** For editors and pipelines. Only `headstart image check` checks whether the components work together. */
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
