// node/document/schema/v1.ts: which fields does a headstart.dev/v1 document have? The check, the JSON Schema and docs/node-config.md
// are all generated from this table and its sections.
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
    version: f.field('Must be the version on the image; another version needs another node.', f.kubernetesVersion()),
  }),
  cluster: z.optional(f.field('Without a cluster, kubelet runs standalone.', clusterSchema)),
  join: z.optional(f.field('How kubelet gets its first credential; exactly one method.', joinSchema)),
  hostName: z.optional(f.field('Default: the name that the platform gave the instance.', f.hostName())),
  kubelet: z.prefault(kubeletSchema, {}),
  labels: z._default(f.field('Labels of the Node.', labelsSchema), {}),
  taints: z._default(
    f.field('Taints set at registration; a later layer replaces the taint with the same key and effect.', taintsSchema),
    [],
  ),
  containerd: z.prefault(containerdSchema, {}),
  network: z.prefault(networkSchema, {}),
  proxy: z.optional(f.field('Default: no proxy.', proxySchema)),
  trustedCertificates: z._default(
    f.field(
      'CA certificates trusted in addition to those of the image, by name.',
      z.record(f.name(), f.certificates()),
    ),
    {},
  ),
  os: z.prefault(osSchema, {}),
  storage: z.prefault(storageSchema, {}),
  ssh: z.prefault(sshSchema, {}),
  metadataAccess: z.prefault(metadataAccessSchema, {}),
  files: z._default(f.field('Other files, by path.', filesSchema), {}),
  units: z._default(f.field('systemd units, by name.', unitsSchema), {}),
  features: z._default(f.field('Feature switches of the image.', z.record(f.featureName(), f.bool())), {}),
  update: z.prefault(
    f.field('When changes are applied, how disruptive they may be, and when the node is healthy.', updateSchema),
    {},
  ),
});

const metadata = () =>
  z.strictObject({
    generation: f.field('Increases with every change; a lower one is refused.', f.integer(1, Number.MAX_SAFE_INTEGER)),
    id: z.optional(f.field('Who or what made this document.', f.line(128))),
    notBefore: z.optional(f.field('Not applied before this time.', f.instant())),
    expires: z.optional(f.field('Not applied from this time on; an applied document stays in force.', f.instant())),
    extra: z.optional(
      f.field('Values that another version of the document can express and this version cannot.', f.freeForm()),
    ),
  });

const signature = () =>
  z.strictObject({
    ed25519: f.field(
      'Signature in base64, over the canonical JSON of the document without this field.',
      f.matching(/^[A-Za-z0-9+/]{86}==$/, 'is not an ed25519 signature in base64', 88),
    ),
  });

export const nodeConfigV1 = z.strictObject({
  apiVersion: z.literal(V1),
  kind: z.literal('NodeConfig'),
  metadata: metadata(),
  spec: specV1,
  signature: z.optional(f.field('Required if the image lists signers.', signature())),
});

export type NodeConfigV1 = z.infer<typeof nodeConfigV1>;
