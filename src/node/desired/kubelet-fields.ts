// node/desired/kubelet-fields.ts: which type does each field of kubelet's configuration have, and what does changing it do to a node in
// service? Based on the hazards that upstream documented for changing the configuration of a live kubelet.
import type { Json } from '../../schema/json.ts';
import { isObject } from '../../schema/json.ts';
import { parseBytes, parseCpu } from '../document/quantity.ts';
import type { DisruptionClass } from './tree.ts';

type FieldType =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'text'
  | 'span'
  | 'texts'
  | 'integers'
  | 'objects'
  | 'object'
  | 'map of texts'
  | 'map of booleans';

interface Judgement {
  class: DisruptionClass;
  why: string;
}

interface Field {
  type: FieldType;
  judge: (from: Json | undefined, to: Json | undefined, rest: readonly string[]) => Judgement;
}

/** `path` is the path of one leaf; `from` and `to` are its values, undefined = not set. */
export function judgeKubeletField(path: readonly string[], from: Json | undefined, to: Json | undefined): Judgement {
  const [key, ...rest] = path;
  // Fail closed: an unknown field may affect running pods.
  return FIELDS.get(key!)?.judge(from, to, rest) ?? { class: 4, why: 'its effect on running pods is unknown' };
}

/** The type problem of a known field; unknown fields, such as those of a newer kubelet, are accepted. */
export function kubeletFieldProblem(key: string, value: Json): string | undefined {
  const type = FIELDS.get(key)?.type;
  return type === undefined || value === null || hasType(value, type) ? undefined : `must be ${A_TYPE[type]}`;
}

/** State files with which kubelet refuses to start after the field has changed. */
export function staleStateOf(path: readonly string[]): readonly string[] {
  return STALE_STATE.get(path[0]!) ?? [];
}

const A_TYPE: Readonly<Record<FieldType, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  text: 'text',
  span: 'a span of time such as 90s or 2m30s',
  texts: 'a list of text values',
  integers: 'a list of whole numbers',
  objects: 'a list of objects',
  object: 'an object',
  'map of texts': 'an object with text values',
  'map of booleans': 'an object with true or false values',
};

function hasType(value: Json, type: FieldType): boolean {
  if (Array.isArray(value)) {
    if (type === 'texts') return value.every((item) => typeof item === 'string');
    if (type === 'integers') return value.every((item) => Number.isInteger(item));
    return type === 'objects' && value.every((item) => isObject(item));
  }
  if (isObject(value)) {
    if (type === 'map of texts') return Object.values(value).every((item) => item === null || typeof item === 'string');
    if (type === 'map of booleans')
      return Object.values(value).every((item) => item === null || typeof item === 'boolean');
    return type === 'object';
  }
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'span')
    return typeof value === 'string' && /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(value);
  return typeof value === (type === 'text' ? 'string' : type);
}

const CPU_STATE = 'cpu_manager_state';
const MEMORY_STATE = 'memory_manager_state';

export const STATE_FILES: readonly string[] = [CPU_STATE, MEMORY_STATE];

const STALE_STATE: ReadonlyMap<string, readonly string[]> = new Map([
  ['cpuManagerPolicy', [CPU_STATE]],
  ['cpuManagerPolicyOptions', [CPU_STATE]],
  ['reservedSystemCPUs', [CPU_STATE]],
  ['memoryManagerPolicy', [MEMORY_STATE]],
  ['reservedMemory', [MEMORY_STATE]],
  ['topologyManagerPolicy', [CPU_STATE, MEMORY_STATE]],
  ['topologyManagerScope', [CPU_STATE, MEMORY_STATE]],
  ['topologyManagerPolicyOptions', [CPU_STATE, MEMORY_STATE]],
]);

const always = (level: DisruptionClass, why: string) => () => ({ class: level, why });

const RESTART = always(2, 'kubelet reads it when it starts');
const REGISTRATION = always(0, 'kubelet uses it only when the node registers');
const IDENTITY = always(7, 'it is part of the identity of the node');
const REBOOT = always(6, 'the control groups it names are set up at boot');
const NEW_PODS = always(4, 'running pods keep the old value');
const ADMISSION = always(4, 'running pods may no longer fit');
const VOLUMES = always(4, 'volumes of running pods may not detach');
const STATIC_PODS = always(4, 'the set of static pods may change');
const STATE = always(5, 'kubelet refuses the state files of the old value');
const CGROUPS = always(5, 'running pods are in control groups of the old kind');
const ELSEWHERE = always(5, 'the data of kubelet would be in another directory');
const RUNTIME = always(5, 'running pods belong to the old runtime');

/** `podsPerCore`: absent and 0 mean no limit. `maxPods`: kubelet's default is 110. */
function limit(limitOf: (value: Json | undefined) => number): Field['judge'] {
  return (from, to) =>
    limitOf(to) >= limitOf(from)
      ? { class: 2, why: 'room for more pods' }
      : { class: 4, why: 'more pods may be running than the new limit allows' };
}
const maxPods = limit((value) => (typeof value === 'number' ? value : 110));
const podsPerCore = limit((value) => (typeof value === 'number' && value > 0 ? value : Number.POSITIVE_INFINITY));

const reserved: Field['judge'] = (from, to, [resource]) => {
  const before = amountOf(resource, from);
  const after = amountOf(resource, to);
  return before !== undefined && after !== undefined && after <= before
    ? { class: 2, why: 'less is reserved: room for more pods' }
    : { class: 4, why: 'more is reserved: running pods may no longer fit' };
};

function amountOf(resource: string | undefined, value: Json | undefined): number | undefined {
  if (value === undefined) return 0;
  if (typeof value !== 'string') return undefined;
  return resource === 'cpu' ? parseCpu(value) : parseBytes(value);
}

const GATES_THAT_AFFECT_PODS =
  /^(?:CPUManager|MemoryManager|TopologyManager|NodeSwap|InPlacePod|UserNamespaces|DynamicResource|DRA|PodLevelResource|CustomCPUCFS|MemoryQoS|QOSReserved|KubeletInUserNamespace|KubeletCgroupDriver|LocalStorageCapacity|CSIMigration|ProcMount|PodAndContainerStats)/;

const gate: Field['judge'] = (_from, _to, [name]) =>
  name !== undefined && GATES_THAT_AFFECT_PODS.test(name)
    ? { class: 4, why: 'it changes how running pods are admitted, limited or isolated' }
    : { class: 2, why: 'kubelet reads it when it starts' };

function fields(type: FieldType, judge: Field['judge'], names: string): [string, Field][] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => [name, { type, judge }]);
}

const FIELDS: ReadonlyMap<string, Field> = new Map([
  ...fields('text', REGISTRATION, 'apiVersion kind'),
  ...fields(
    'boolean',
    RESTART,
    `enableContentionProfiling enableDebugFlagsHandler enableDebuggingHandlers enableProfilingHandler enableServer
     enableSystemLogHandler enableSystemLogQuery failCgroupV1 failSwapOn kernelMemcgNotification makeIPTablesUtilChains
     mergeDefaultEvictionSettings protectKernelDefaults rotateCertificates serializeImagePulls serverTLSBootstrap`,
  ),
  ...fields(
    'integer',
    RESTART,
    `containerLogMaxFiles containerLogMaxWorkers eventBurst eventRecordQPS evictionMaxPodGracePeriod healthzPort
     imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS
     maxOpenFiles maxParallelImagePulls nodeLeaseDurationSeconds nodeStatusMaxImages oomScoreAdj podPidsLimit port
     readOnlyPort registryBurst registryPullQPS`,
  ),
  ...fields(
    'span',
    RESTART,
    `containerLogMonitorInterval cpuManagerReconcilePeriod draManagerReconcilePeriod evictionPressureTransitionPeriod
     fileCheckFrequency httpCheckFrequency imageMaximumGCAge imageMinimumGCAge nodeStatusReportFrequency
     nodeStatusUpdateFrequency runtimeRequestTimeout shutdownGracePeriod shutdownGracePeriodCriticalPods
     streamingConnectionIdleTimeout syncFrequency volumeStatsAggPeriod`,
  ),
  ...fields(
    'text',
    RESTART,
    `address configMapAndSecretChangeDetectionStrategy containerLogMaxSize contentType healthzBindAddress
     imagePullCredentialsVerificationPolicy showHiddenMetricsForVersion tlsCertFile tlsMinVersion tlsPrivateKeyFile
     volumePluginDir`,
  ),
  ...fields('texts', RESTART, 'allowedUnsafeSysctls preloadedImagesVerificationAllowlist tlsCipherSuites'),
  ...fields('integers', RESTART, 'tlsCurvePreferences'),
  ...fields('object', RESTART, 'authentication authorization crashLoopBackOff logging tracing'),
  ...fields('objects', RESTART, 'shutdownGracePeriodByPodPriority'),
  ...fields('map of texts', RESTART, 'evictionHard evictionMinimumReclaim evictionSoft evictionSoftGracePeriod'),
  ...fields('map of booleans', gate, 'featureGates'),

  ...fields('integer', maxPods, 'maxPods'),
  ...fields('integer', podsPerCore, 'podsPerCore'),
  ...fields('map of texts', reserved, 'kubeReserved systemReserved'),
  ...fields('map of texts', ADMISSION, 'qosReserved'),
  ...fields('texts', ADMISSION, 'enforceNodeAllocatable'),
  ...fields('text', ADMISSION, 'kubeReservedCgroup systemReservedCgroup'),
  ...fields('boolean', ADMISSION, 'localStorageCapacityIsolation'),

  ...fields('text', NEW_PODS, 'clusterDomain hairpinMode memoryReservationPolicy podCIDR resolvConf'),
  ...fields('texts', NEW_PODS, 'clusterDNS'),
  ...fields('boolean', NEW_PODS, 'cpuCFSQuota seccompDefault singleProcessOOMKill'),
  ...fields('span', always(4, 'kubelet restarts running containers'), 'cpuCFSQuotaPeriod'),
  ...fields('number', NEW_PODS, 'memoryThrottlingFactor'),
  ...fields('object', NEW_PODS, 'memorySwap userNamespaces'),
  ...fields('boolean', VOLUMES, 'enableControllerAttachDetach'),
  ...fields('text', STATIC_PODS, 'staticPodPath staticPodURL'),
  ...fields('object', STATIC_PODS, 'staticPodURLHeader'),
  ...fields('boolean', always(4, 'the node would leave the cluster'), 'registerNode runOnce'),

  ...fields('text', STATE, 'cpuManagerPolicy memoryManagerPolicy reservedSystemCPUs topologyManagerPolicy'),
  ...fields('text', STATE, 'topologyManagerScope'),
  ...fields('map of texts', STATE, 'cpuManagerPolicyOptions topologyManagerPolicyOptions'),
  ...fields('objects', STATE, 'reservedMemory'),
  ...fields('boolean', CGROUPS, 'cgroupsPerQOS'),
  ...fields('text', CGROUPS, 'cgroupDriver'),
  ...fields('text', ELSEWHERE, 'podLogsDir'),
  ...fields('text', RUNTIME, 'containerRuntimeEndpoint imageServiceEndpoint'),
  ...fields('text', REBOOT, 'cgroupRoot kubeletCgroups systemCgroups'),

  ...fields('objects', REGISTRATION, 'registerWithTaints'),
  ...fields('text', IDENTITY, 'providerID'),
]);

export const KNOWN_KUBELET_FIELDS: readonly string[] = [...FIELDS.keys()];
