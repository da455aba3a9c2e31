// node/document/parse-layer.ts: what does one file contribute to a v1 spec? It is checked against the version that it names, then
// converted.

import { checkValue } from '../../schema/check.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { ImageFacts } from '../observe/facts.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { withoutNulls } from './merge.ts';
import { hasReservedKey, parseText } from './parse-text.ts';
import { invalid, type Problem, type Warning } from './problem.ts';
import { convert, isApiVersion } from './schema/convert.ts';
import { nodeConfigV1, V1 } from './schema/v1.ts';
import { signatureProblem } from './signature.ts';
import { unwrap } from './unwrap.ts';

export interface ParsedLayer {
  /** Converted to v1; may contain invalid fields. */
  document: JsonObject;
  spec: JsonObject;
  problems: Problem[];
  /** Required fields that this layer lacks; another layer may set them. */
  missing: Problem[];
  warnings: Warning[];
}

export interface LayerRules {
  image: Pick<ImageFacts, 'configApiVersions' | 'signers'>;
  maxBytes: number;
  isStrict: boolean;
}

/** A single problem if the bytes could not be parsed. */
export async function parseLayer(bytes: Uint8Array, rules: LayerRules): Promise<ParsedLayer | { problem: Problem }> {
  const unwrapped = unwrap(bytes, rules.maxBytes);
  if ('problem' in unwrapped) return unwrapped;
  const parsed = await parseText(unwrapped.text);
  if ('problem' in parsed) return parsed;
  return checkLayer(parsed.value, rules);
}

async function checkLayer(value: Json, { image, isStrict }: LayerRules): Promise<ParsedLayer | { problem: Problem }> {
  if (!isObject(value) || value.kind !== 'NodeConfig' || !/^headstart\.dev\//.test(String(value.apiVersion))) {
    return refuse('config/not-a-node-config', '', 'is not a headstart.dev NodeConfig');
  }
  const { apiVersion } = value;
  if (!isApiVersion(apiVersion) || !image.configApiVersions.includes(apiVersion)) {
    return refuse('config/unsupported-version', 'apiVersion', `must be one of ${image.configApiVersions.join(', ')}`);
  }
  if (hasReservedKey(value)) return refuse('config/invalid', '', "has a field named '__proto__'");

  const unsigned = signatureProblem(value, image.signers);
  // Loaded on use, so that a boot with a v1 document does not wait for v1alpha1.
  const schema = apiVersion === V1 ? nodeConfigV1 : (await import('./schema/v1alpha1.ts')).nodeConfigV1alpha1;
  const { problems, missing, unknown } = checkValue(
    schema,
    isObject(value.spec) ? { ...value, spec: withoutNulls(value.spec) } : value,
  );
  const document = convert(value, V1);
  const strict = unknown.map((warning): Problem => ({ ...warning, reason: 'config/unknown-field' }));
  return {
    document,
    spec: isObject(document.spec) ? document.spec : {},
    problems: [...(unsigned ? [unsigned] : []), ...invalid(problems), ...(isStrict ? strict : [])],
    missing: invalid(missing),
    warnings: isStrict ? [] : unknown,
  };
}

function refuse(reason: ReasonCode, path: string, message: string): { problem: Problem } {
  return { problem: { reason, path, message } };
}
