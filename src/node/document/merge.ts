// node/document/merge.ts: what do several layers give when merged, and which layer set each value? Later layers win: maps merge
// by key, null removes a value, lists are replaced, and taints merge by key and effect.
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';

export interface DocumentLayer {
  /** Shown to people: `image defaults`, `userData`, `etc/headstart/node.d/10-pool.yaml`, `local override`. */
  name: string;
  /** Part of a v1 `spec`. */
  spec: JsonObject;
}

/** The layer that set each leaf, by path below spec. The keys of a path are joined with NUL, which no key contains. */
export type Provenance = ReadonlyMap<string, string>;

export interface MergeResult {
  spec: JsonObject;
  provenance: Provenance;
}

/** `layers` are ordered from the lowest precedence to the highest. */
export function mergeLayers(layers: readonly DocumentLayer[]): MergeResult {
  const provenance = new Map<string, string>();
  let spec: JsonObject = {};
  for (const layer of layers) spec = mergeObjects(spec, layer.spec, { path: [], layer: layer.name, provenance });
  return { spec, provenance };
}

/** The spec of a single layer: its nulls have nothing to remove and are dropped. */
export function withoutNulls(spec: JsonObject): JsonObject {
  return mergeLayers([{ name: '', spec }]).spec;
}

/** Leaves in the order of the document with the layer that set each; `default` if the schema did. */
export function leavesOf(spec: JsonObject, provenance: Provenance): { path: string[]; value: Json; from: string }[] {
  const leaves: { path: string[]; value: Json; from: string }[] = [];
  walk(spec, []);
  return leaves;

  function walk(value: Json, path: string[]): void {
    if (isObject(value) && Object.keys(value).length > 0) {
      for (const [key, item] of Object.entries(value)) walk(item, [...path, key]);
      return;
    }
    leaves.push({ path, value, from: provenance.get(path.join('\0')) ?? 'default' });
  }
}

interface MergePosition {
  path: readonly string[];
  layer: string;
  provenance: Map<string, string>;
}

function mergeObjects(lower: JsonObject, upper: JsonObject, at: MergePosition): JsonObject {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const inside = { ...at, path: [...at.path, key] };
    if (value === null && !isFreeForm(inside.path)) {
      forgetBelow(inside);
      merged.delete(key);
    } else {
      merged.set(key, mergeValues(merged.get(key), value, inside));
    }
  }
  return Object.fromEntries(merged);
}

function mergeValues(lower: Json | undefined, upper: Json, at: MergePosition): Json {
  if (isObject(upper)) {
    // A map replaces a value that is not a map. Its nulls are dropped in that case too.
    if (!isObject(lower)) forgetBelow(at);
    const merged = mergeObjects(isObject(lower) ? lower : {}, upper, at);
    if (Object.keys(merged).length === 0) remember(at);
    return merged;
  }
  forgetBelow(at);
  remember(at);
  return at.path.join('.') === 'taints' && Array.isArray(lower) && Array.isArray(upper)
    ? mergeTaints(lower, upper)
    : upper;
}

function mergeTaints(lower: readonly Json[], upper: readonly Json[]): Json {
  const keyOf = (taint: Json) => (isObject(taint) ? JSON.stringify([taint.key, taint.effect]) : undefined);
  const replaced = new Set(upper.map(keyOf));
  return [...lower.filter((taint) => !replaced.has(keyOf(taint))), ...upper];
}

/** In configuration passed through to kubelet and containerd, null is a value. */
function isFreeForm([first, second, third, fourth, fifth]: readonly string[]): boolean {
  if (first === 'kubelet' && second === 'config') return third !== undefined;
  if (first === 'kubelet' && second === 'credentialProvider') return third === 'config' && fourth !== undefined;
  return first === 'containerd' && second === 'runtimes' && fourth === 'options' && fifth !== undefined;
}

function remember({ path, layer, provenance }: MergePosition): void {
  provenance.set(path.join('\0'), layer);
}

function forgetBelow({ path, provenance }: MergePosition): void {
  const own = path.join('\0');
  for (const key of provenance.keys()) if (key === own || key.startsWith(`${own}\0`)) provenance.delete(key);
}
