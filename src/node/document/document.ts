// node/document/document.ts: from the bytes that were delivered to the configuration of this node, or to every reason why not.
// Nothing here touches the world; whoever calls keeps what runs when the answer is no.
import { createHash } from 'node:crypto';
import { checkValue } from '../../schema/check.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { ImageFacts, MachineFacts } from '../observe/facts.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { NodeConfig } from './config.ts';
import { type Layer, mergeLayers, type Provenance } from './merge.ts';
import { invalid, type Problem, type Warning } from './problem.ts';
import { type ReadLayer, readLayer } from './read-layer.ts';
import { type NodeConfigV1, nodeConfigV1 } from './schema/v1.ts';
import { contradictions, discouraged } from './semantics.ts';
import { type Applied, timelinessProblems } from './timeliness.ts';
import { toConfig } from './to-config.ts';
import { MAX_DELIVERED_BYTES, MAX_TEXT_BYTES } from './unwrap.ts';

export interface Reading {
  image: Pick<ImageFacts, 'configApiVersions' | 'signers' | 'defaults'> & {
    /** Undefined: that of any image. */
    kubernetesVersion: string | undefined;
  };
  machine: MachineFacts;
  nowMs: number;
  /** What the node runs. */
  applied?: Applied | undefined;
  /** Files of this node that change what was delivered, lowest first. */
  overrides?: readonly Override[];
  /** Fields nobody knows are problems. */
  isStrict?: boolean;
  /** A person asked for this document: an older generation is taken. */
  allowsOlder?: boolean;
  /** Of what was delivered; what instance metadata carries unless given. */
  maxBytes?: number;
}

export interface Override {
  name: string;
  bytes: Uint8Array;
}

export interface Accepted {
  outcome: 'accepted';
  config: NodeConfig;
  /** Of what was delivered, however it was written and in whichever version. */
  documentHash: string;
  /** Of what comes of it on this image, overrides included: what a generation is known by. */
  hash: string;
  /** The document as v1, all layers merged, with defaults. It holds secrets. */
  effective: NodeConfigV1;
  provenance: Provenance;
  warnings: Warning[];
}

export interface Refused {
  outcome: 'refused';
  /** The one to report. */
  reason: ReasonCode;
  /** All of them, that one first. */
  problems: Problem[];
  warnings: Warning[];
  /** Absent when the document could not even be read. */
  documentHash?: string;
}

export async function parseDocument(delivered: Uint8Array, reading: Reading): Promise<Accepted | Refused> {
  const { image, machine, isStrict = false, maxBytes = MAX_DELIVERED_BYTES } = reading;
  const base = await readLayer(delivered, { image, isStrict, maxBytes });
  if ('problem' in base) return refused([base.problem], []);
  const documentHash = hashOf({ metadata: withoutExtra(base.document.metadata), spec: base.spec });
  const overrides = await readOverrides(reading);

  const { spec, provenance } = mergeLayers([
    { name: 'image defaults', spec: image.defaults },
    { name: 'userData', spec: base.spec },
    ...overrides.layers,
  ]);
  const whole = checkValue(nodeConfigV1, { ...base.document, spec });
  const single = [...base.problems, ...overrides.problems];
  const warnings = [...base.warnings, ...overrides.warnings];
  const problems = [
    ...versionProblems(spec, image),
    ...single,
    // What is wrong in a layer is wrong in the whole too, and was said in the words of that layer.
    ...(single.length === 0 ? invalid(whole.problems) : []),
    ...missingFrom(invalid(whole.missing), base),
    ...timelinessProblems(base.document, { ...reading, documentHash }),
  ];
  if (whole.value === undefined) return refused(problems, warnings, documentHash);

  const { config, problems: amounts } = toConfig(whole.value, machine);
  problems.push(...contradictions(whole.value), ...amounts);
  warnings.push(...discouraged(whole.value));
  if (problems.length > 0) return refused(problems, warnings, documentHash);
  const hash = hashOf({ generation: config.generation, spec });
  return { outcome: 'accepted', config, documentHash, hash, effective: whole.value, provenance, warnings };
}

async function readOverrides({ overrides = [], image, isStrict = false }: Reading) {
  const [layers, problems, warnings]: [Layer[], Problem[], Warning[]] = [[], [], []];
  for (const { name, bytes } of overrides) {
    // Whoever can write on the node needs no signature to change it.
    const rules = { image: { ...image, signers: [] }, isStrict, maxBytes: MAX_TEXT_BYTES };
    const layer = await readLayer(bytes, rules);
    if ('problem' in layer) {
      problems.push({ ...layer.problem, layer: name });
      continue;
    }
    layers.push({ name, spec: layer.spec });
    problems.push(...layer.problems.map((problem) => ({ ...problem, layer: name })));
    warnings.push(...layer.warnings.map((warning) => ({ ...warning, layer: name })));
  }
  return { layers, problems, warnings };
}

/** In the words of the document where it lacks the same number of fields itself. */
function missingFrom(missing: Problem[], base: ReadLayer): Problem[] {
  return missing.length === base.missing.length ? base.missing : missing;
}

function versionProblems(spec: JsonObject, { kubernetesVersion: held }: Reading['image']): Problem[] {
  const wanted = isObject(spec.kubernetes) ? spec.kubernetes.version : undefined;
  if (typeof wanted !== 'string' || !/^\d[\w.-]{0,40}$/.test(wanted) || wanted === (held ?? wanted)) return [];
  const message = `${wanted} is not ${held}, which is on this image`;
  return [{ reason: 'config/other-kubernetes-version', path: 'spec.kubernetes.version', message }];
}

function refused(problems: Problem[], warnings: Warning[], documentHash?: string): Refused {
  return { outcome: 'refused', reason: problems[0]!.reason, problems, warnings, ...(documentHash && { documentHash }) };
}

/** How another version would have said it is no difference. */
function withoutExtra(metadata: Json | undefined): Json {
  if (!isObject(metadata)) return null;
  const { extra: _, ...rest } = metadata;
  return rest;
}

function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
