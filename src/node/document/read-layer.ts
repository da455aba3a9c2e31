// node/document/read-layer.ts: what does one delivered file say, as part of a v1 spec? It names its version, and is checked in the
// words of that version.

import { checkValue } from '../../schema/check.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { ImageFacts } from '../observe/facts.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { alone } from './merge.ts';
import { hasReservedKey, parseText } from './parse-text.ts';
import { invalid, type Problem, type Warning } from './problem.ts';
import { convert, isApiVersion } from './schema/convert.ts';
import { nodeConfigV1, V1 } from './schema/v1.ts';
import { signatureProblem } from './signature.ts';
import { unwrap } from './unwrap.ts';

export interface ReadLayer {
  /** As v1, as far as it could be understood. */
  document: JsonObject;
  spec: JsonObject;
  problems: Problem[];
  /** Fields without which it is not a whole document; another layer may have them. */
  missing: Problem[];
  warnings: Warning[];
}

export interface LayerRules {
  image: Pick<ImageFacts, 'configApiVersions' | 'signers'>;
  maxBytes: number;
  isStrict: boolean;
}

/** One problem alone: it could not be read at all. */
export async function readLayer(bytes: Uint8Array, rules: LayerRules): Promise<ReadLayer | { problem: Problem }> {
  const unwrapped = unwrap(bytes, rules.maxBytes);
  if ('problem' in unwrapped) return unwrapped;
  const parsed = await parseText(unwrapped.text);
  if ('problem' in parsed) return parsed;
  return understand(parsed.value, rules);
}

async function understand(value: Json, { image, isStrict }: LayerRules): Promise<ReadLayer | { problem: Problem }> {
  if (!isObject(value) || value.kind !== 'NodeConfig' || !/^headstart\.dev\//.test(String(value.apiVersion))) {
    return refuse('config/not-a-node-config', '', 'is not a NodeConfig of headstart.dev');
  }
  const { apiVersion } = value;
  if (!isApiVersion(apiVersion) || !image.configApiVersions.includes(apiVersion)) {
    return refuse('config/unsupported-version', 'apiVersion', `is none of ${image.configApiVersions.join(', ')}`);
  }
  if (hasReservedKey(value)) return refuse('config/invalid', '', "has a field named '__proto__'");

  const unsigned = signatureProblem(value, image.signers);
  // Loaded on use: a node that boots with a document of v1 does not wait for it.
  const schema = apiVersion === V1 ? nodeConfigV1 : (await import('./schema/v1alpha1.ts')).nodeConfigV1alpha1;
  const { problems, missing, unknown } = checkValue(
    schema,
    isObject(value.spec) ? { ...value, spec: alone(value.spec) } : value,
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
