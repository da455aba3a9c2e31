// node/desired/aspects/kubelet.ts: which configuration and flags does kubelet have? Our drop-in (20) overrides the configuration of the image, the user's (40)
// overrides both; a few settings exist only as flags.
import { Secret } from '../../../base/secret.ts';
import type { JsonObject } from '../../../schema/json.ts';
import type { KubeletSettings, NodeConfig, ReservedResources } from '../../document/config.ts';
import type { Facts } from '../../observe/facts.ts';
import { dataPathProblem } from '../allowed-paths.ts';
import { BASE_PATH, DROP_IN_FOLDER, fieldProblems, KIND, renderJson } from '../kubelet-config.ts';
import { renderFlags } from '../kubelet-flags.ts';
import type { OwnedFile, Treatment } from '../tree.ts';
import { type AspectFunction, type AspectResult, dropIn, invalidField, KUBELET, textFile } from './aspect.ts';
import { BOOTSTRAP_PATH, CA_PATH, KUBECONFIG_PATH } from './join.ts';

export const FLAGS_PATH = '/etc/default/kubelet';
export const DEFAULT_KUBELET_ROOT = '/var/lib/kubelet';
export const OWN_CONFIG_PATH = `${DROP_IN_FOLDER}/20-headstart.conf`;
const USER_CONFIG_PATH = `${DROP_IN_FOLDER}/40-user.conf`;
const CREDENTIAL_PROVIDER = '/etc/kubernetes/credential-provider.yaml';

/** $CREDENTIALS_DIRECTORY of kubelet's unit. */
const CREDENTIALS = `/run/credentials/${KUBELET}`;
/** The usual name of the systemd credential with the first kubeconfig. */
const USUAL_CREDENTIAL = 'bootstrap-kubeconfig';

const RESTART: Treatment = { aspect: 'kubelet', class: 2, after: [{ do: 'restart', unit: KUBELET }] };

export const kubeletAspect: AspectFunction = (config, facts) => {
  const { credentialProvider } = config.kubelet;
  // Some changes delete state of kubelet, so the folder must be one that the daemon may write to.
  const rootProblem = dataPathProblem(config.storage.kubeletRoot ?? DEFAULT_KUBELET_ROOT);
  return {
    files: [
      ...userFile(config.kubelet.config),
      ...(credentialProvider
        ? // It sets the environment of plugins, which may contain secrets.
          [textFile(CREDENTIAL_PROVIDER, new Secret(renderJson(credentialProvider.config)), RESTART)]
        : []),
      unitFile(config.join),
    ],
    kubeletConfig: { ...clusterSettings(config, facts), ...documentSettings(config.kubelet) },
    kubeletFlags: flagsOf(config, facts),
    problems: [
      ...fieldProblems(config.kubelet.config).map(({ key, message }) =>
        invalidField(['kubelet', 'config', key], message),
      ),
      ...(rootProblem === undefined ? [] : [invalidField(['storage', 'kubeletRoot'], rootProblem)]),
    ],
  };
};

/** Our drop-in and the flags file, combined from all aspects. */
export function kubeletFiles(parts: readonly AspectResult[]): OwnedFile[] {
  const config = Object.assign({}, ...parts.map((part) => part.kubeletConfig ?? {}), KIND);
  const flags = new Map(parts.flatMap((part) => Object.entries(part.kubeletFlags ?? {})));
  return [
    textFile(OWN_CONFIG_PATH, renderJson(config), { ...RESTART, class: 7, notation: 'kubelet-config' }),
    textFile(FLAGS_PATH, renderFlags(flags), { ...RESTART, class: 7, notation: 'kubelet-flags' }),
  ];
}

function userFile(config: JsonObject): OwnedFile[] {
  if (Object.keys(config).length === 0) return [];
  const text = renderJson({ ...config, ...KIND });
  // The headers for fetching static pods are the only field that may contain a credential.
  const isSecret = Object.hasOwn(config, 'staticPodURLHeader');
  return [
    textFile(USER_CONFIG_PATH, isSecret ? new Secret(text) : text, {
      ...RESTART,
      class: 7,
      notation: 'kubelet-config',
      mode: 0o600,
    }),
  ];
}

/**
 * systemd finds `kubelet` without a path on the image. The file is the same for all join methods, except for a credential with another
 * name: systemd ignores LoadCredential= if the machine has no such credential.
 */
export function unitFile(join?: NodeConfig['join']): OwnedFile {
  const lines = [
    '[Service]',
    `LoadCredential=${join?.method === 'credential' ? join.name : USUAL_CREDENTIAL}`,
    `EnvironmentFile=${FLAGS_PATH}`,
    'ExecStart=',
    'ExecStart=kubelet $KUBELET_FLAGS',
  ];
  return dropIn(KUBELET, '20-headstart.conf', lines, { aspect: 'kubelet', class: 2 });
}

function flagsOf({ cluster, join, kubelet: settings, network, storage }: NodeConfig, facts: Facts) {
  const addresses = { primary: facts.instance.addresses.slice(0, 1), kubelet: [], fixed: network.nodeAddresses };
  const nodeIp = addresses[network.nodeIp].join(',');
  return {
    ...settings.flags,
    config: BASE_PATH,
    'config-dir': DROP_IN_FOLDER,
    'runtime-cgroups': settings.flags['runtime-cgroups'] ?? '/system.slice/containerd.service',
    ...(cluster && { kubeconfig: KUBECONFIG_PATH }),
    ...bootstrapFlag(join),
    // With an external cloud provider kubelet does not detect an address, and pods wait for one.
    ...(nodeIp && { 'node-ip': nodeIp }),
    ...(settings.verbosity !== undefined && { v: `${settings.verbosity}` }),
    ...(storage.kubeletRoot !== undefined && { 'root-dir': storage.kubeletRoot }),
    ...(settings.credentialProvider && {
      'image-credential-provider-config': CREDENTIAL_PROVIDER,
      'image-credential-provider-bin-dir': settings.credentialProvider.binDir,
    }),
  };
}

function bootstrapFlag(join: NodeConfig['join']): Record<string, string> {
  switch (join?.method) {
    case 'token':
    case 'exec':
      return { 'bootstrap-kubeconfig': BOOTSTRAP_PATH };
    case 'credential':
      return { 'bootstrap-kubeconfig': `${CREDENTIALS}/${join.name}` };
    default:
      return {};
  }
}

function clusterSettings({ cluster }: NodeConfig, { instance }: Facts): JsonObject {
  const common = {
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'systemd', // as in containerd's configuration
  };
  if (cluster === undefined) {
    // Without an API server there is no webhook to authorize requests. No client can authenticate, so AlwaysAllow allows nothing.
    return {
      ...common,
      authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
    };
  }
  return {
    ...common,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: CA_PATH },
    },
    authorization: { mode: 'Webhook' },
    rotateCertificates: true,
    clusterDomain: cluster.dnsDomain,
    ...(cluster.dnsAddresses.length > 0 && { clusterDNS: cluster.dnsAddresses }),
    ...(instance.providerId !== undefined && { providerID: instance.providerId }),
  };
}

function documentSettings(settings: KubeletSettings): JsonObject {
  const pulls = settings.maxParallelImagePulls;
  return withoutAbsent({
    maxPods: settings.maxPods,
    podPidsLimit: settings.podPidsLimit,
    systemReserved: reserved(settings.systemReserved),
    kubeReserved: reserved(settings.kubeReserved),
    evictionHard: settings.evictionHard,
    imageGCHighThresholdPercent: settings.imageGcHighPercent,
    imageGCLowThresholdPercent: settings.imageGcLowPercent,
    containerLogMaxSize: settings.containerLogMaxBytes === undefined ? undefined : `${settings.containerLogMaxBytes}`,
    containerLogMaxFiles: settings.containerLogMaxFiles,
    cpuManagerPolicy: settings.cpuManagerPolicy,
    memoryManagerPolicy: settings.memoryManagerPolicy,
    topologyManagerPolicy: settings.topologyManagerPolicy,
    shutdownGracePeriod: goSpan(settings.shutdownGraceMs),
    shutdownGracePeriodCriticalPods: goSpan(settings.shutdownGraceCriticalMs),
    // kubelet refuses maxParallelImagePulls above 1 unless serializeImagePulls is false.
    serializeImagePulls: pulls === undefined ? undefined : pulls === 1,
    maxParallelImagePulls: pulls,
    serverTLSBootstrap: settings.serverTlsBootstrap,
    staticPodPath: settings.staticPodPath,
    featureGates: Object.keys(settings.featureGates).length > 0 ? settings.featureGates : undefined,
  });
}

function reserved({ cpuMillis, memoryBytes, ephemeralStorageBytes, pids }: ReservedResources): JsonObject | undefined {
  const amounts = withoutAbsent({
    cpu: cpuMillis === undefined ? undefined : `${cpuMillis}m`,
    memory: memoryBytes === undefined ? undefined : `${memoryBytes}`,
    'ephemeral-storage': ephemeralStorageBytes === undefined ? undefined : `${ephemeralStorageBytes}`,
    pid: pids === undefined ? undefined : `${pids}`,
  });
  return Object.keys(amounts).length > 0 ? amounts : undefined;
}

/** Go's notation, so that it can be compared with the configuration that kubelet reports: `2m30s`, `1h0m0s`, `1.5s`. */
export function goSpan(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const seconds = (ms % 60_000) / 1000;
  const minutes = Math.floor(ms / 60_000) % 60;
  const hours = Math.floor(ms / 3_600_000);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

function withoutAbsent(object: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonObject[string]] => entry[1] !== undefined),
  );
}
