// node/document/schema/kubelet.ts: which fields configure kubelet, its cluster and its first credential?
import * as z from 'zod/mini';
import * as f from './formats.ts';

const HOUR_MS = 3_600_000;

export const clusterSchema = z.strictObject({
  name: f.field('The name shown to people and in the status.', f.name()),
  endpoint: f.field('URL of the API server, `https://host:port`.', f.endpoint()),
  certificateAuthority: f.field('CA certificates (PEM) that verify the API server.', f.certificates()),
  dns: z.prefault(
    z.strictObject({
      addresses: z._default(f.field('DNS servers for pods.', z.array(f.address()).check(z.maxLength(3))), []),
      domain: z._default(f.field('DNS domain of services.', f.domain()), 'cluster.local'),
    }),
    {},
  ),
  serviceCidrs: z._default(f.field('Address ranges of services.', z.array(f.cidr()).check(z.maxLength(4))), []),
  podCidrs: z._default(f.field('Address ranges of pods.', z.array(f.cidr()).check(z.maxLength(16))), []),
});

export const joinSchema = z.strictObject({
  exec: z.optional(
    z.strictObject({
      apiVersion: z._default(
        f.field(
          'API version of the credential that the program prints.',
          z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
        ),
        'client.authentication.k8s.io/v1',
      ),
      command: f.field(
        'Program on the image that prints a credential derived from the identity of the instance.',
        f.path(),
      ),
      args: z._default(f.field('Arguments of the program.', z.array(f.line()).check(z.maxLength(64))), []),
      env: z._default(f.field('Environment variables of the program.', z.record(f.environmentName(), f.line())), {}),
    }),
  ),
  credential: z.optional(
    z.strictObject({ name: f.field('The systemd credential that holds a bootstrap kubeconfig.', f.credentialName()) }),
  ),
  token: z.optional(
    z.strictObject({
      token: f.secret(
        'A bootstrap token. Discouraged: anyone who can read the instance metadata can read it.',
        f.bootstrapToken(),
      ),
      expires: z.optional(f.field('When the token expires.', f.instant())),
    }),
  ),
  existing: z.optional(f.field('The node already has a kubeconfig.', z.strictObject({}))),
});

export const kubeletSchema = z.strictObject({
  maxPods: z.optional(
    f.field('Maximum number of pods; a number, or an expression of `cpu` and `memory`.', f.count(1, 10_000)),
  ),
  podPidsLimit: z.optional(f.field('Maximum number of process ids in a pod.', f.integer(-1, 4_194_304))),
  systemReserved: z.prefault(f.field('Reserved for the system; `pods` in an expression is `maxPods`.', reserved()), {}),
  kubeReserved: z.prefault(
    f.field('Reserved for kubelet and containerd; `pods` in an expression is `maxPods`.', reserved()),
    {},
  ),
  evictionHard: z.optional(
    f.field(
      'Thresholds at which kubelet evicts pods, such as `memory.available: 100Mi`.',
      z.record(f.evictionSignal(), f.evictionThreshold()),
    ),
  ),
  imageGcHighPercent: z.optional(
    f.field('Disk usage, in percent, at which kubelet starts to delete unused images.', f.integer(1, 100)),
  ),
  imageGcLowPercent: z.optional(
    f.field('Disk usage, in percent, at which kubelet stops deleting them.', f.integer(0, 99)),
  ),
  containerLogMaxSize: z.optional(
    f.field("Size at which a container's log is rotated, such as `10Mi`.", f.bytes(4096)),
  ),
  containerLogMaxFiles: z.optional(f.field('Number of log files kept per container.', f.integer(2, 100))),
  cpuManagerPolicy: z.optional(
    f.field(
      '`static` gives exclusive cores to Guaranteed pods with whole-number CPU requests.',
      z.enum(['none', 'static']),
    ),
  ),
  memoryManagerPolicy: z.optional(
    f.field('`Static` gives Guaranteed pods memory from as few NUMA nodes as possible.', z.enum(['None', 'Static'])),
  ),
  topologyManagerPolicy: z.optional(
    f.field(
      'How strictly CPUs, memory and devices of a pod must come from the same NUMA node.',
      z.enum(['none', 'best-effort', 'restricted', 'single-numa-node']),
    ),
  ),
  shutdownGracePeriod: z.optional(f.field('How long a node shutdown waits for pods to end.', f.span(0, HOUR_MS))),
  shutdownGracePeriodCriticalPods: z.optional(
    f.field('The part of shutdownGracePeriod kept for critical pods.', f.span(0, HOUR_MS)),
  ),
  maxParallelImagePulls: z.optional(
    f.field('Images pulled at the same time; 1 pulls them one by one.', f.integer(1, 100)),
  ),
  serverTlsBootstrap: z.optional(
    f.field(
      'kubelet requests its server certificate from the cluster; a person or controller must approve the request.',
      f.bool(),
    ),
  ),
  staticPodPath: z.optional(f.field('Directory of static pod manifests.', f.path())),
  featureGates: z._default(f.field('Feature gates of kubelet, by name.', z.record(f.gateName(), f.bool())), {}),
  verbosity: z.optional(f.field('Verbosity of the kubelet log (`--v`).', f.integer(0, 10))),
  flags: z._default(
    f.field('Other command-line flags of kubelet, by name without dashes.', z.record(f.flagName(), f.flagValue())),
    {},
  ),
  credentialProvider: z.optional(
    z.strictObject({
      config: f.field('A CredentialProviderConfig.', f.freeForm()),
      binDir: f.field('Directory of the credential provider plugins on the image.', f.path()),
    }),
  ),
  config: z._default(
    f.field(
      'KubeletConfiguration fields, merged over all fields above; null removes a value that the image sets.',
      f.freeForm(),
    ),
    {},
  ),
});

export const labelsSchema = z.record(f.labelKey(), f.labelValue());

export const taintsSchema = z
  .array(
    z.strictObject({
      key: f.field('Key of the taint.', f.taintKey()),
      value: z.optional(f.field('Value of the taint.', f.labelValue())),
      effect: f.field('Effect of the taint.', z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
    }),
  )
  .check(z.maxLength(64));

function reserved() {
  return z.strictObject({
    cpu: z.optional(f.field('Cores, `100m`, or an expression.', f.cpu())),
    memory: z.optional(f.field('Bytes, `255Mi`, or an expression.', f.bytes())),
    ephemeralStorage: z.optional(f.field('Bytes, `1Gi`, or an expression.', f.bytes())),
    pids: z.optional(f.field('Process ids.', f.integer(1, 4_194_304))),
  });
}
