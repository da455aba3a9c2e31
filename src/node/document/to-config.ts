// node/document/to-config.ts: which configuration does a valid v1 document give on this machine? Spans become milliseconds, amounts
// become bytes, secrets are wrapped.
import { Secret } from '../../base/secret.ts';
import { instantMs, spanMs } from '../../schema/formats.ts';
import { mapValues } from '../../schema/json.ts';
import type { MachineSize } from '../observe/facts.ts';
import { Amounts, type Variables } from './amounts.ts';
import type {
  AllowedClass,
  JoinConfig,
  KubeletSettings,
  NodeConfig,
  ReservedResources,
  UpdatePolicy,
  Weekday,
} from './config.ts';
import type { Problem } from './problem.ts';
import { DISRUPTIONS } from './schema/update.ts';
import type { NodeConfigV1 } from './schema/v1.ts';

type Spec = NodeConfigV1['spec'];

export function toConfig(document: NodeConfigV1, machine: MachineSize): { config: NodeConfig; problems: Problem[] } {
  const { metadata, spec } = document;
  const amounts = new Amounts();
  const config: NodeConfig = {
    generation: metadata.generation,
    id: metadata.id,
    notBeforeMs: optional(metadata.notBefore, instantOf),
    expiresMs: optional(metadata.expires, instantOf),
    kubernetesVersion: spec.kubernetes.version,
    cluster: optional(spec.cluster, ({ dns, ...cluster }) => ({
      ...cluster,
      dnsAddresses: dns.addresses,
      dnsDomain: dns.domain,
    })),
    join: optional(spec.join, joinOf),
    hostName: spec.hostName,
    kubelet: kubeletOf(spec.kubelet, machine, amounts),
    labels: spec.labels,
    taints: spec.taints,
    containerd: spec.containerd,
    network: spec.network,
    proxy: optional(spec.proxy, ({ http, https, noProxy }) => ({
      http: optional(http, (url) => new Secret(url)),
      https: optional(https, (url) => new Secret(url)),
      noProxy,
    })),
    trustedCertificates: spec.trustedCertificates,
    os: {
      ...spec.os,
      sysctls: mapValues(spec.os.sysctls, String),
      swap: optional(spec.os.swap, ({ file, size, behavior }) => {
        const variables = { cpu: machine.cpus, memory: machine.memoryBytes };
        return { file, sizeBytes: amounts.bytes('spec.os.swap.size', size, variables, 1 << 20), behavior };
      }),
    },
    storage: spec.storage,
    ssh: spec.ssh,
    metadataAccess: {
      isBlockedForPods: spec.metadataAccess.blockPods,
      allowedCidrs: spec.metadataAccess.allowedCidrs,
    },
    files: mapValues(spec.files, ({ content, encoding, mode, owner, group, secret }) => ({
      content: secret ? new Secret(content) : content,
      encoding,
      mode: secret ? Number.parseInt(mode, 8) & 0o700 : Number.parseInt(mode, 8),
      owner,
      group,
    })),
    units: mapValues(spec.units, ({ content, dropIns, enabled, masked, active }) => ({
      content,
      dropIns,
      isEnabled: enabled,
      isMasked: masked,
      isActive: active,
    })),
    features: spec.features,
    update: updateOf(spec.update),
  };
  return { config, problems: amounts.problems };
}

/** semantics.ts has checked that exactly one is set. */
function joinOf({ exec, credential, token }: NonNullable<Spec['join']>): JoinConfig {
  if (exec) return { method: 'exec', ...exec };
  if (credential) return { method: 'credential', ...credential };
  if (!token) return { method: 'existing' };
  return { method: 'token', token: new Secret(token.token), expiresMs: optional(token.expires, instantOf) };
}

function kubeletOf(kubelet: Spec['kubelet'], machine: MachineSize, amounts: Amounts): KubeletSettings {
  const { maxPods, shutdownGracePeriod, shutdownGracePeriodCriticalPods, containerLogMaxSize, ...rest } = kubelet;
  const { apiVersion: _, kind: __, ...config } = rest.config;
  const size = { cpu: machine.cpus, memory: machine.memoryBytes };
  const pods = optional(maxPods, (written) => amounts.count('spec.kubelet.maxPods', written, size, [1, 10_000]));
  const variables = pods === undefined ? size : { ...size, pods };
  return {
    ...rest,
    config,
    maxPods: pods,
    systemReserved: reservedOf('spec.kubelet.systemReserved', rest.systemReserved, variables, amounts),
    kubeReserved: reservedOf('spec.kubelet.kubeReserved', rest.kubeReserved, variables, amounts),
    containerLogMaxBytes: optional(containerLogMaxSize, (written) =>
      amounts.bytes('spec.kubelet.containerLogMaxSize', written, variables, 4096),
    ),
    shutdownGraceMs: optional(shutdownGracePeriod, msOf),
    shutdownGraceCriticalMs: optional(shutdownGracePeriodCriticalPods, msOf),
  };
}

type ReservedV1 = Spec['kubelet']['kubeReserved'];

function reservedOf(path: string, reserved: ReservedV1, variables: Variables, amounts: Amounts): ReservedResources {
  const { cpu, memory, ephemeralStorage, pids } = reserved;
  return {
    cpuMillis: optional(cpu, (written) => amounts.cpuMillis(`${path}.cpu`, written, variables)),
    memoryBytes: optional(memory, (written) => amounts.bytes(`${path}.memory`, written, variables)),
    ephemeralStorageBytes: optional(ephemeralStorage, (written) =>
      amounts.bytes(`${path}.ephemeralStorage`, written, variables),
    ),
    pids,
  };
}

const ALL_DAYS: readonly Weekday[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function updateOf({ health, window, tryFor, jitter, pollEvery, maxDisruption, ...rest }: Spec['update']): UpdatePolicy {
  const { readyWithin, restartsWithin, commitAfter, ...counts } = health;
  return {
    ...rest,
    tryForMs: msOf(tryFor),
    jitterMs: msOf(jitter),
    pollMs: msOf(pollEvery),
    maxClass: DISRUPTIONS.indexOf(maxDisruption) as AllowedClass,
    window: optional(window, ({ days, start, duration }) => ({
      days: days.length === 0 ? ALL_DAYS : days,
      startMinute: Number(start.slice(0, 2)) * 60 + Number(start.slice(3)),
      durationMs: msOf(duration),
    })),
    health: {
      ...counts,
      readyWithinMs: msOf(readyWithin),
      restartsWithinMs: msOf(restartsWithin),
      commitAfterMs: msOf(commitAfter),
    },
  };
}

function optional<T, U>(value: T | undefined, convert: (value: T) => U): U | undefined {
  return value === undefined ? undefined : convert(value);
}

/** The schema has checked that both parse. */
const msOf = (span: string): number => spanMs(span)!;
const instantOf = (text: string): number => instantMs(text)!;
