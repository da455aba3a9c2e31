// node/document/schema/convert.ts: how is a document converted to the other version? Nothing is lost: what the target version cannot
// express is kept under metadata.extra and restored when the document is converted back.

import { spanMs } from '../../../schema/formats.ts';
import { isObject, type Json, type JsonObject } from '../../../schema/json.ts';
import { documentDifferences, restore, valueAtPath, withValue } from './difference.ts';
import { DISRUPTIONS } from './update.ts';
import { V1 } from './v1.ts';

const V1ALPHA1 = 'headstart.dev/v1alpha1';
export const NODE_CONFIG_VERSIONS = [V1ALPHA1, V1] as const;
export type ApiVersion = (typeof NODE_CONFIG_VERSIONS)[number];

export function isApiVersion(value: Json | undefined): value is ApiVersion {
  return NODE_CONFIG_VERSIONS.some((version) => version === value);
}

/** Also converts a document with invalid fields. */
export function convert(document: JsonObject, to: ApiVersion): JsonObject {
  const from = document.apiVersion;
  if (from === to || !isApiVersion(from)) return document;
  const kept = ['metadata', 'extra', to];
  const converted = restore(withValue(toVersion(to, document), kept, undefined), valueAtPath(document, kept));
  // Converting back shows what the target version cannot express, or expresses differently.
  const keep = ['metadata', 'extra', from];
  const back = withValue(toVersion(from, converted), keep, undefined);
  const lost = documentDifferences(withValue(document, kept, undefined), back);
  lost.sort((a, b) => (a.at < b.at ? -1 : 1)); // independent of the order of fields
  return lost.length === 0 ? converted : withValue(converted, keep, lost);
}

/** A value that moved, was renamed, or has another notation. A path or result is undefined if the version cannot express it. */
interface Rule {
  v1alpha1?: string;
  v1: string;
  up?(value: Json): Json | undefined;
  down?(value: Json): Json | undefined;
}

const RULES: readonly Rule[] = [
  { v1alpha1: 'spec.cluster.caBundle', v1: 'spec.cluster.certificateAuthority' },
  { v1alpha1: 'spec.kubelet.labels', v1: 'spec.labels' },
  { v1alpha1: 'spec.kubelet.taints', v1: 'spec.taints' },
  seconds('spec.kubelet.shutdownGracePeriod'),
  seconds('spec.kubelet.shutdownGracePeriodCriticalPods'),
  seconds('spec.update.tryFor'),
  seconds('spec.update.jitter'),
  seconds('spec.update.pollEvery'),
  seconds('spec.update.health.readyWithin'),
  seconds('spec.update.health.restartsWithin'),
  seconds('spec.update.health.commitAfter'),
  {
    v1alpha1: 'spec.update.maxDisruptionClass',
    v1: 'spec.update.maxDisruption',
    up: (value) => (typeof value === 'number' ? DISRUPTIONS[value] : undefined),
    down: (value) => {
      const found = (DISRUPTIONS as readonly Json[]).indexOf(value);
      return found < 0 ? undefined : found;
    },
  },
  { v1: 'spec.update.window' },
  keyedList('spec.files', 'path'),
  keyedList('spec.units', 'name'),
  { v1alpha1: 'spec.os.sysctls', v1: 'spec.os.sysctls', up: pairsToMap, down: mapToPairs },
  {
    v1alpha1: 'spec.os.modules',
    v1: 'spec.os.modules',
    up: (value) => (isNames(value) ? Object.fromEntries(value.map((name) => [name, {}])) : undefined),
    down: (value) => (isObject(value) ? Object.keys(value) : undefined),
  },
];

/**
 * Null stays null: it removes a value in every version. Both paths of every rule are removed before a new value is set, so that
 * a field unknown in the old version does not become a field of the new version.
 */
function toVersion(to: ApiVersion, document: JsonObject): JsonObject {
  const moves = RULES.map((rule) => {
    const [old, place] = to === V1 ? [rule.v1alpha1, rule.v1] : [rule.v1, rule.v1alpha1];
    const found = old === undefined ? undefined : valueAtPath(document, old.split('.'));
    const translate = (to === V1 ? rule.up : rule.down) ?? ((value: Json) => value);
    return { old, place, value: found === undefined || found === null ? found : translate(found) };
  });
  let converted: JsonObject = { ...document, apiVersion: to };
  for (const { old, place } of moves) {
    if (old !== undefined) converted = withValue(converted, old.split('.'), undefined);
    if (place !== undefined) converted = withValue(converted, place.split('.'), undefined);
  }
  for (const { place, value } of moves) {
    if (place !== undefined && value !== undefined) converted = withValue(converted, place.split('.'), value);
  }
  return converted;
}

/** v1alpha1 has whole seconds, and `Seconds` at the end of the name. */
function seconds(path: string): Rule {
  return {
    v1alpha1: `${path}Seconds`,
    v1: path,
    up: (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? spanOf(value as number) : undefined),
    down: (value) => {
      const ms = typeof value === 'string' ? spanMs(value) : undefined;
      return ms === undefined ? undefined : Math.ceil(ms / 1000);
    },
  };
}

function spanOf(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds > 0 && seconds % 60 === 0 ? `${seconds / 60}min` : `${seconds}s`;
}

/** A list in v1alpha1, a map by name in v1. */
function keyedList(path: string, key: string): Rule {
  return {
    v1alpha1: path,
    v1: path,
    up: (value) => {
      if (!Array.isArray(value) || !value.every((item) => isObject(item) && typeof item[key] === 'string'))
        return undefined;
      return Object.fromEntries((value as JsonObject[]).map(({ [key]: name, ...rest }) => [name as string, rest]));
    },
    down: (value) => {
      if (!isObject(value) || !Object.values(value).every(isObject)) return undefined;
      return Object.entries(value).map(([name, rest]) => ({ ...(rest as JsonObject), [key]: name }));
    },
  };
}

function pairsToMap(value: Json): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  const pairs = value.filter(isObject).filter(({ name, value }) => typeof name === 'string' && value !== undefined);
  return pairs.length < value.length ? undefined : Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

function mapToPairs(value: Json): Json | undefined {
  return isObject(value) ? Object.entries(value).map(([name, value]) => ({ name, value })) : undefined;
}

function isNames(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
