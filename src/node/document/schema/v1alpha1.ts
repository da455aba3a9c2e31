// node/document/schema/v1alpha1.ts: what may a document of headstart.dev/v1alpha1 say? As v1, but with seconds for spans, numbers
// for classes of disruption, lists where v1 has maps, and labels and taints with kubelet. convert.ts goes both ways.
import * as z from 'zod/mini';
import * as f from './formats.ts';
import { files, os, units } from './host.ts';
import { cluster, kubelet, labels, taints } from './kubelet.ts';
import { health, update } from './update.ts';
import { metadata, signature, specV1 } from './v1.ts';

export const V1ALPHA1 = 'headstart.dev/v1alpha1';

const DAY_S = 86_400;
const seconds = (minimum: number) => f.integer(minimum, DAY_S);

const clusterAlpha = z.extend(z.omit(cluster, { certificateAuthority: true }), {
  caBundle: f.field('Certificates (PEM) the API server is verified with.', f.certificates()),
});

const kubeletAlpha = z.extend(z.omit(kubelet, { shutdownGracePeriod: true, shutdownGracePeriodCriticalPods: true }), {
  shutdownGracePeriodSeconds: z.optional(f.field('How long a shutdown waits for pods.', f.integer(0, 3600))),
  shutdownGracePeriodCriticalPodsSeconds: z.optional(f.field('Of that, for critical pods.', f.integer(0, 3600))),
  labels: z._default(f.field('Of the Node.', labels), {}),
  taints: z._default(f.field('At registration.', taints), []),
});

const osAlpha = z.extend(z.omit(os, { sysctls: true, modules: true }), {
  sysctls: z._default(
    f.field(
      'Kernel settings.',
      keyed(
        'name',
        z.strictObject({
          name: f.field('`net.ipv4.ip_forward`.', f.sysctlKey()),
          value: f.field('Text or a number.', f.sysctlValue()),
        }),
      ),
    ),
    [],
  ),
  modules: z._default(f.field('Kernel modules to load.', unique(f.moduleName())), []),
});

const updateAlpha = z.extend(
  z.omit(update, { maxDisruption: true, window: true, tryFor: true, jitter: true, pollEvery: true, health: true }),
  {
    maxDisruptionClass: z._default(f.field('The most that may happen without being asked for.', f.integer(0, 6)), 3),
    tryForSeconds: z._default(f.field('How long a trial lasts unless it is kept.', seconds(1)), 60),
    jitterSeconds: z._default(f.field('Changes of a pool are spread over this long.', seconds(0)), 0),
    pollEverySeconds: z._default(f.field('How often the metadata is looked at.', seconds(5)), 60),
    health: z.prefault(
      z.extend(z.omit(health, { readyWithin: true, restartsWithin: true, commitAfter: true }), {
        readyWithinSeconds: z._default(f.field('Taken back when the node is not Ready by then.', seconds(1)), 180),
        restartsWithinSeconds: z._default(f.field('The time maxRestarts is counted in.', seconds(1)), 120),
        commitAfterSeconds: z._default(f.field('Healthy for this long = last known good.', seconds(0)), 300),
      }),
      {},
    ),
  },
);

const specV1alpha1 = z.extend(
  z.omit(specV1, {
    cluster: true,
    kubelet: true,
    labels: true,
    taints: true,
    os: true,
    files: true,
    units: true,
    update: true,
  }),
  {
    cluster: z.optional(f.field('Without it kubelet runs on its own.', clusterAlpha)),
    kubelet: z.prefault(kubeletAlpha, {}),
    os: z.prefault(osAlpha, {}),
    files: z._default(
      f.field(
        'Files there is no field for.',
        keyed('path', z.extend(files._zod.def.valueType, { path: f.field('Where it is written.', f.writablePath()) })),
      ),
      [],
    ),
    units: z._default(
      f.field(
        'systemd units.',
        keyed('name', z.extend(units._zod.def.valueType, { name: f.field('With its suffix.', f.unitName()) })),
      ),
      [],
    ),
    update: z.prefault(f.field('What may happen, when, and what healthy means.', updateAlpha), {}),
  },
);

export const nodeConfigV1alpha1 = z.strictObject({
  apiVersion: z.literal(V1ALPHA1),
  kind: z.literal('NodeConfig'),
  metadata: metadata(),
  spec: specV1alpha1,
  signature: z.optional(f.field('Required where the image names signers.', signature())),
});

/** A list whose entries are told apart by one of their fields. */
function keyed<S extends z.ZodMiniType>(key: string, entry: S) {
  return z.array(entry).check(
    z.check((context) => {
      const seen = new Set<unknown>();
      context.value.forEach((item, index) => {
        const named = (item as Record<string, unknown>)[key];
        if (seen.has(named)) {
          context.issues.push({ code: 'custom', path: [index, key], message: 'is there already', input: named });
        }
        seen.add(named);
      });
    }),
  );
}

function unique<S extends z.ZodMiniType>(entry: S) {
  return z.array(entry).check(
    z.check((context) => {
      context.value.forEach((item, index) => {
        if (context.value.indexOf(item) === index) return;
        context.issues.push({ code: 'custom', path: [index], message: 'is there already', input: item });
      });
    }),
  );
}
