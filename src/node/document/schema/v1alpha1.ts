// node/document/schema/v1alpha1.ts: which fields does a headstart.dev/v1alpha1 document have? Unlike v1 it has seconds for spans, numbers for
// disruption classes, lists instead of maps, and labels and taints below kubelet. It is frozen and shares no section with v1;
// convert.ts converts both ways.
import * as z from 'zod/mini';
import { containerdSchema } from './v1alpha1/containerd.ts';
import * as f from './v1alpha1/formats.ts';
import {
  filesSchema,
  metadataAccessSchema,
  networkSchema,
  osSchema,
  proxySchema,
  sshSchema,
  storageSchema,
  unitsSchema,
} from './v1alpha1/host.ts';
import { clusterSchema, joinSchema, kubeletSchema } from './v1alpha1/kubelet.ts';
import { updateSchema } from './v1alpha1/update.ts';

const spec = z.strictObject({
  kubernetes: z.strictObject({
    version: f.field("The image's own; another one needs another node.", f.kubernetesVersion()),
  }),
  join: z.optional(f.field('Exactly one way to the first credential.', joinSchema)),
  hostName: z.optional(f.field('The name the platform gave unless given.', f.hostName())),
  containerd: z.prefault(containerdSchema, {}),
  network: z.prefault(networkSchema, {}),
  proxy: z.optional(f.field('Without it there is none.', proxySchema)),
  trustedCertificates: z._default(
    f.field("Trusted beside the image's, by name.", z.record(f.name(), f.certificates())),
    {},
  ),
  storage: z.prefault(storageSchema, {}),
  ssh: z.prefault(sshSchema, {}),
  metadataAccess: z.prefault(metadataAccessSchema, {}),
  features: z._default(f.field('Switches of the image.', z.record(f.featureName(), f.bool())), {}),
  cluster: z.optional(f.field('Without it kubelet runs on its own.', clusterSchema)),
  kubelet: z.prefault(kubeletSchema, {}),
  os: z.prefault(osSchema, {}),
  files: z._default(f.field('Files there is no field for.', filesSchema), []),
  units: z._default(f.field('systemd units.', unitsSchema), []),
  update: z.prefault(f.field('What may happen, when, and what healthy means.', updateSchema), {}),
});

const metadata = z.strictObject({
  generation: f.field('Raised with every change; never goes back.', f.integer(1, Number.MAX_SAFE_INTEGER)),
  id: z.optional(f.field('Who or what made this document.', f.line(128))),
  notBefore: z.optional(f.field('Not applied before.', f.instant())),
  expires: z.optional(f.field('Not applied from then on; what is applied stays.', f.instant())),
  extra: z.optional(f.field('What another version of the document could say and this one cannot.', f.freeForm())),
});

const signature = z.strictObject({
  ed25519: f.field(
    'base64, over the canonical JSON of the document without this field.',
    f.matching(/^[A-Za-z0-9+/]{86}==$/, 'is not a signature', 88),
  ),
});

export const nodeConfigV1alpha1 = z.strictObject({
  apiVersion: z.literal('headstart.dev/v1alpha1'),
  kind: z.literal('NodeConfig'),
  metadata,
  spec,
  signature: z.optional(f.field('Required where the image names signers.', signature)),
});
