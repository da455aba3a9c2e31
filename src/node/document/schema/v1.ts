// node/document/schema/v1.ts: what may a document of headstart.dev/v1 say? Each field with its limits, its default and a sentence;
// checks, JSON Schema and docs/node-config.md are all made from this table and the sections it is put together from.
import * as z from 'zod/mini';
import { containerdSchema } from './containerd.ts';
import * as f from './formats.ts';
import {
  filesSchema,
  metadataAccessSchema,
  networkSchema,
  osSchema,
  proxySchema,
  sshSchema,
  storageSchema,
  unitsSchema,
} from './host.ts';
import { clusterSchema, joinSchema, kubeletSchema, labelsSchema, taintsSchema } from './kubelet.ts';
import { updateSchema } from './update.ts';

export const V1 = 'headstart.dev/v1';

const specV1 = z.strictObject({
  kubernetes: z.strictObject({
    version: f.field("The image's own; another one needs another node.", f.kubernetesVersion()),
  }),
  cluster: z.optional(f.field('Without it kubelet runs on its own.', clusterSchema)),
  join: z.optional(f.field('Exactly one way to the first credential.', joinSchema)),
  hostName: z.optional(f.field('The name the platform gave unless given.', f.hostName())),
  kubelet: z.prefault(kubeletSchema, {}),
  labels: z._default(f.field('Of the Node.', labelsSchema), {}),
  taints: z._default(
    f.field('At registration; an entry of a later layer replaces the one of the same key and effect.', taintsSchema),
    [],
  ),
  containerd: z.prefault(containerdSchema, {}),
  network: z.prefault(networkSchema, {}),
  proxy: z.optional(f.field('Without it there is none.', proxySchema)),
  trustedCertificates: z._default(
    f.field("Trusted beside the image's, by name.", z.record(f.name(), f.certificates())),
    {},
  ),
  os: z.prefault(osSchema, {}),
  storage: z.prefault(storageSchema, {}),
  ssh: z.prefault(sshSchema, {}),
  metadataAccess: z.prefault(metadataAccessSchema, {}),
  files: z._default(f.field('By path: files there is no field for.', filesSchema), {}),
  units: z._default(f.field('By unit name.', unitsSchema), {}),
  features: z._default(f.field('Switches of the image.', z.record(f.featureName(), f.bool())), {}),
  update: z.prefault(f.field('What may happen, when, and what healthy means.', updateSchema), {}),
});

const metadata = () =>
  z.strictObject({
    generation: f.field('Raised with every change; never goes back.', f.integer(1, Number.MAX_SAFE_INTEGER)),
    id: z.optional(f.field('Who or what made this document.', f.line(128))),
    notBefore: z.optional(f.field('Not applied before.', f.instant())),
    expires: z.optional(f.field('Not applied from then on; what is applied stays.', f.instant())),
    extra: z.optional(f.field('What another version of the document could say and this one cannot.', f.freeForm())),
  });

const signature = () =>
  z.strictObject({
    ed25519: f.field(
      'base64, over the canonical JSON of the document without this field.',
      f.matching(/^[A-Za-z0-9+/]{86}==$/, 'is not a signature', 88),
    ),
  });

export const nodeConfigV1 = z.strictObject({
  apiVersion: z.literal(V1),
  kind: z.literal('NodeConfig'),
  metadata: metadata(),
  spec: specV1,
  signature: z.optional(f.field('Required where the image names signers.', signature())),
});

export type NodeConfigV1 = z.infer<typeof nodeConfigV1>;
