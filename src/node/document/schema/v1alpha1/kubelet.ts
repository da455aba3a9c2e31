// node/document/schema/v1alpha1/kubelet.ts: which v1alpha1 fields configure kubelet, its cluster and its first credential?
import * as z from 'zod/mini';
import * as f from './formats.ts';

export const clusterSchema = z.strictObject({
  name: f.field('For people and status.', f.name()),
  endpoint: f.field('The API server, `https://host:port`.', f.endpoint()),
  dns: z.prefault(
    z.strictObject({
      addresses: z._default(f.field('DNS servers of pods.', z.array(f.address()).check(z.maxLength(3))), []),
      domain: z._default(f.field('Domain of services.', f.domain()), 'cluster.local'),
    }),
    {},
  ),
  serviceCidrs: z._default(f.field('Address ranges of services.', z.array(f.cidr()).check(z.maxLength(4))), []),
  podCidrs: z._default(f.field('Address ranges of pods.', z.array(f.cidr()).check(z.maxLength(16))), []),
  caBundle: f.field('Certificates (PEM) the API server is verified with.', f.certificates()),
});

export const joinSchema = z.strictObject({
  exec: z.optional(
    z.strictObject({
      apiVersion: z._default(
        f.field(
          'Of the credential the program prints.',
          z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
        ),
        'client.authentication.k8s.io/v1',
      ),
      command: f.field(
        'A program on the image that prints a credential made from the identity of the instance.',
        f.path(),
      ),
      args: z._default(f.field('Its arguments.', z.array(f.line()).check(z.maxLength(64))), []),
      env: z._default(f.field('Its environment.', z.record(f.environmentName(), f.line())), {}),
    }),
  ),
  credential: z.optional(
    z.strictObject({ name: f.field('The systemd credential that holds a bootstrap kubeconfig.', f.credentialName()) }),
  ),
  token: z.optional(
    z.strictObject({
      token: f.secret(
        'A bootstrap token. Discouraged: whoever reads the metadata of the instance reads it.',
        f.bootstrapToken(),
      ),
      expires: z.optional(f.field('When the token ends.', f.instant())),
    }),
  ),
  existing: z.optional(f.field('A kubeconfig is on the node already.', z.strictObject({}))),
});

const labels = z.record(f.labelKey(), f.labelValue());

const taints = z
  .array(
    z.strictObject({
      key: f.field('Of the taint.', f.taintKey()),
      value: z.optional(f.field('Of the taint.', f.labelValue())),
      effect: f.field('Of the taint.', z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
    }),
  )
  .check(z.maxLength(64));

export const kubeletSchema = z.strictObject({
  maxPods: z.optional(
    f.field('How many pods may run here; a number or an expression of `cpu` and `memory`.', f.count(1, 10_000)),
  ),
  podPidsLimit: z.optional(f.field('Process ids a pod may have.', f.integer(-1, 4_194_304))),
  systemReserved: z.prefault(f.field('Kept for the system; `pods` in an expression is `maxPods`.', reserved()), {}),
  kubeReserved: z.prefault(
    f.field('Kept for kubelet and containerd; `pods` in an expression is `maxPods`.', reserved()),
    {},
  ),
  evictionHard: z.optional(
    f.field('When pods are evicted, `memory.available: 100Mi`.', z.record(f.evictionSignal(), f.evictionThreshold())),
  ),
  imageGcHighPercent: z.optional(f.field('Disk use at which unused images are removed.', f.integer(1, 100))),
  imageGcLowPercent: z.optional(f.field('Disk use down to which they are.', f.integer(0, 99))),
  containerLogMaxSize: z.optional(f.field("When a container's log is rotated, `10Mi`.", f.bytes(4096))),
  containerLogMaxFiles: z.optional(f.field('How many logs of a container are kept.', f.integer(2, 100))),
  cpuManagerPolicy: z.optional(f.field('Whole cores for pods that ask for them.', z.enum(['none', 'static']))),
  memoryManagerPolicy: z.optional(
    f.field('Memory of one NUMA node for pods that ask for it.', z.enum(['None', 'Static'])),
  ),
  topologyManagerPolicy: z.optional(
    f.field('How strictly both have to agree.', z.enum(['none', 'best-effort', 'restricted', 'single-numa-node'])),
  ),
  maxParallelImagePulls: z.optional(f.field('1 = one image after the other.', f.integer(1, 100))),
  serverTlsBootstrap: z.optional(
    f.field('kubelet asks the cluster for its server certificate, which somebody has to approve.', f.bool()),
  ),
  staticPodPath: z.optional(f.field('Folder of static pods.', f.path())),
  featureGates: z._default(f.field('As kubelet names them.', z.record(f.gateName(), f.bool())), {}),
  verbosity: z.optional(f.field('Of its log.', f.integer(0, 10))),
  flags: z._default(
    f.field('Command-line flags without a field here, by name without dashes.', z.record(f.flagName(), f.flagValue())),
    {},
  ),
  credentialProvider: z.optional(
    z.strictObject({
      config: f.field('A CredentialProviderConfig.', f.freeForm()),
      binDir: f.field('Folder of the plugins on the image.', f.path()),
    }),
  ),
  config: z._default(
    f.field('Any KubeletConfiguration, merged over all of the above; null removes a value of the image.', f.freeForm()),
    {},
  ),
  shutdownGracePeriodSeconds: z.optional(f.field('How long a shutdown waits for pods.', f.integer(0, 3600))),
  shutdownGracePeriodCriticalPodsSeconds: z.optional(f.field('Of that, for critical pods.', f.integer(0, 3600))),
  labels: z._default(f.field('Of the Node.', labels), {}),
  taints: z._default(f.field('At registration.', taints), []),
});

function reserved() {
  return z.strictObject({
    cpu: z.optional(f.field('Cores, `100m`, or an expression.', f.cpu())),
    memory: z.optional(f.field('Bytes, `255Mi`, or an expression.', f.bytes())),
    ephemeralStorage: z.optional(f.field('Bytes, `1Gi`, or an expression.', f.bytes())),
    pids: z.optional(f.field('Process ids.', f.integer(1, 4_194_304))),
  });
}
