// node/desired/kubelet-config.ts: which configuration does kubelet use? It reads the file of --config and merges every drop-in of
// --config-dir over it, in path order, as a JSON merge patch (RFC 7386): values replace, objects merge, lists are replaced
// as a whole, null removes.
import { canonicalJson, isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { kubeletFieldProblem } from './kubelet-fields.ts';

export const BASE_PATH = '/etc/kubernetes/kubelet/config.yaml';
export const DROP_IN_FOLDER = '/etc/kubernetes/kubelet/config.d';

export const KIND = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' } as const;

/** `dropIns` by path. */
export function effectiveConfig(base: JsonObject, dropIns: ReadonlyMap<string, JsonObject>): JsonObject {
  return [...dropIns.keys()]
    .sort(inWalkOrder)
    .reduce<JsonObject>((merged, path) => mergeObjects(merged, dropIns.get(path)!), base);
}

export interface FieldProblem {
  key: string;
  message: string;
}

/** kubelet does not start with one bad field, so known fields are type-checked before anything is written. */
export function fieldProblems(config: JsonObject): FieldProblem[] {
  return Object.entries(config).flatMap(([key, value]) => {
    const message = kubeletFieldProblem(key, value);
    return message === undefined ? [] : [{ key, message }];
  });
}

/** Checks the merged configuration, including combinations of fields that kubelet refuses. */
export function configProblems(config: JsonObject): FieldProblem[] {
  const { imageGCHighThresholdPercent: high = 85, imageGCLowThresholdPercent: low = 80 } = config;
  const { serializeImagePulls = true, maxParallelImagePulls: pulls = 1 } = config;
  const enforced = Array.isArray(config.enforceNodeAllocatable) ? config.enforceNodeAllocatable.map(String) : [];
  const needsCgroup = (what: string) => enforced.some((one) => one.startsWith(`${what}-reserved`));
  const found: [isWrong: boolean, key: string, message: string][] = [
    [Number(low) >= Number(high), 'imageGCLowThresholdPercent', 'must be below imageGCHighThresholdPercent'],
    [
      serializeImagePulls === true && Number(pulls) > 1,
      'maxParallelImagePulls',
      'must be 1 if serializeImagePulls is true',
    ],
    [
      needsCgroup('system') && !config.systemReservedCgroup,
      'systemReservedCgroup',
      'is required by enforceNodeAllocatable',
    ],
    [needsCgroup('kube') && !config.kubeReservedCgroup, 'kubeReservedCgroup', 'is required by enforceNodeAllocatable'],
    [
      enforced.includes('none') && enforced.length > 1,
      'enforceNodeAllocatable',
      'must not combine none with other values',
    ],
    [config.runOnce === true, 'runOnce', 'must not be true: kubelet would exit'],
    [!config.containerRuntimeEndpoint, 'containerRuntimeEndpoint', 'is required'],
  ];
  return [
    ...fieldProblems(config),
    ...found.filter(([isWrong]) => isWrong).map(([, key, message]) => ({ key, message })),
  ];
}

export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  return mergeObjects(isObject(target) ? target : {}, patch);
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  // Not by assignment, so that a key such as __proto__ stays a key.
  return Object.fromEntries(merged);
}

/** kubelet walks folders in order of their names, so paths are compared component by component. */
function inWalkOrder(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return Buffer.compare(Buffer.from(left[i]!), Buffer.from(right[i]!));
  }
  return left.length - right.length;
}

export interface LeafDifference {
  path: readonly string[];
  from: Json | undefined;
  to: Json | undefined;
}

/** All leaves that differ. A list is one leaf, because it is replaced as a whole. */
export function differingLeaves(
  from: Json | undefined,
  to: Json | undefined,
  path: readonly string[] = [],
): LeafDifference[] {
  if (from === undefined && to === undefined) return [];
  if (!isObject(from) && !isObject(to)) {
    return from !== undefined && to !== undefined && canonicalJson(from) === canonicalJson(to)
      ? []
      : [{ path, from, to }];
  }
  const left = isObject(from) ? from : {};
  const right = isObject(to) ? to : {};
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return keys.flatMap((key) => differingLeaves(own(left, key), own(right, key), [...path, key]));
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sorted keys, so that equal configurations give equal bytes. */
export function renderJson(value: Json): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
