// node/document/document.ts: which configuration do the delivered bytes give on this node, or which problems do they have? No I/O:
// when a document is refused, the caller keeps the running configuration.
import { createHash } from 'node:crypto';
import { checkValue } from '../../schema/check.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { ImageFacts, MachineSize } from '../observe/facts.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { NodeConfig } from './config.ts';
import { type DocumentLayer, mergeLayers, type Provenance } from './merge.ts';
import { type ParsedLayer, parseLayer } from './parse-layer.ts';
import { invalid, type Problem, type Warning } from './problem.ts';
import { type NodeConfigV1, nodeConfigV1 } from './schema/v1.ts';
import { contradictions, discouraged } from './semantics.ts';
import { type AppliedDocument, timelinessProblems } from './timeliness.ts';
import { toConfig } from './to-config.ts';
import { MAX_DELIVERED_BYTES, MAX_TEXT_BYTES } from './unwrap.ts';

export interface DocumentContext {
  image: Pick<ImageFacts, 'configApiVersions' | 'signers' | 'defaults'> & {
    /** Undefined: any version is accepted. */
    kubernetesVersion: string | undefined;
  };
  machine: MachineSize;
  nowMs: number;
  /** The document that the node runs now. */
  applied?: AppliedDocument | undefined;
  /** Files on this node that override the delivered document, lowest precedence first. */
  overrides?: readonly Override[];
  /** Unknown fields are problems, not warnings. */
  isStrict?: boolean;
  /** A person requested this document, so an older generation is accepted. */
  allowsOlder?: boolean;
  /** Limit for the delivered bytes; default: what instance metadata can carry. */
  maxBytes?: number;
}

export interface Override {
  name: string;
  bytes: Uint8Array;
}

export interface AcceptedDocument {
  outcome: 'accepted';
  config: NodeConfig;
  /** Hash of the delivered document, independent of its notation and version. */
  documentHash: string;
  /** Hash of the document merged with image defaults and overrides: identifies a generation. */
  hash: string;
  /** The document as v1 with all layers merged and defaults filled in. Contains secrets. */
  effective: NodeConfigV1;
  provenance: Provenance;
  warnings: Warning[];
}

export interface RefusedDocument {
  outcome: 'refused';
  /** The reason of the first problem. */
  reason: ReasonCode;
  problems: Problem[];
  warnings: Warning[];
  /** Absent if the document could not be parsed. */
  documentHash?: string;
}

export async function parseDocument(
  delivered: Uint8Array,
  context: DocumentContext,
): Promise<AcceptedDocument | RefusedDocument> {
  const { image, machine, isStrict = false, maxBytes = MAX_DELIVERED_BYTES } = context;
  const base = await parseLayer(delivered, { image, isStrict, maxBytes });
  if ('problem' in base) return refused([base.problem], []);
  const documentHash = hashOf({ metadata: withoutExtra(base.document.metadata), spec: base.spec });
  const overrides = await parseOverrides(context);

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
    // A problem of one layer is also a problem of the whole; report it once, with the field names of that layer.
    ...(single.length === 0 ? invalid(whole.problems) : []),
    ...missingFrom(invalid(whole.missing), base),
    ...timelinessProblems(base.document, { ...context, documentHash }),
  ];
  if (whole.value === undefined) return refused(problems, warnings, documentHash);

  const { config, problems: amounts } = toConfig(whole.value, machine);
  problems.push(...contradictions(whole.value), ...amounts);
  warnings.push(...discouraged(whole.value));
  if (problems.length > 0) return refused(problems, warnings, documentHash);
  const hash = hashOf({ generation: config.generation, spec });
  return { outcome: 'accepted', config, documentHash, hash, effective: whole.value, provenance, warnings };
}

async function parseOverrides({ overrides = [], image, isStrict = false }: DocumentContext) {
  const [layers, problems, warnings]: [DocumentLayer[], Problem[], Warning[]] = [[], [], []];
  for (const { name, bytes } of overrides) {
    // Overrides need no signature: who can write them can change the node anyway.
    const rules = { image: { ...image, signers: [] }, isStrict, maxBytes: MAX_TEXT_BYTES };
    const layer = await parseLayer(bytes, rules);
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

/** If overrides add none of the missing fields, report them with the field names of the document's version. */
function missingFrom(missing: Problem[], base: ParsedLayer): Problem[] {
  return missing.length === base.missing.length ? base.missing : missing;
}

function versionProblems(spec: JsonObject, { kubernetesVersion: held }: DocumentContext['image']): Problem[] {
  const wanted = isObject(spec.kubernetes) ? spec.kubernetes.version : undefined;
  if (typeof wanted !== 'string' || !/^\d[\w.-]{0,40}$/.test(wanted) || wanted === (held ?? wanted)) return [];
  const message = `expected ${held}, the version on this image, got ${wanted}`;
  return [{ reason: 'config/other-kubernetes-version', path: 'spec.kubernetes.version', message }];
}

function refused(problems: Problem[], warnings: Warning[], documentHash?: string): RefusedDocument {
  return { outcome: 'refused', reason: problems[0]!.reason, problems, warnings, ...(documentHash && { documentHash }) };
}

/** What another version kept there must not change the hash. */
function withoutExtra(metadata: Json | undefined): Json {
  if (!isObject(metadata)) return null;
  const { extra: _, ...rest } = metadata;
  return rest;
}

function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
