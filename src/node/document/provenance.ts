// node/document/provenance.ts: which layer set each value of the effective document?

import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { renderPath } from '../../schema/problem.ts';
import type { AcceptedDocument } from './document.ts';
import { leavesOf } from './merge.ts';

export interface ProvenanceEntry {
  path: string;
  /** Secrets are masked. */
  value: Json;
  /** `default`, `image defaults`, `userData`, or the name of a file. */
  from: string;
}

export function provenanceOf({
  effective,
  provenance,
}: Pick<AcceptedDocument, 'effective' | 'provenance'>): ProvenanceEntry[] {
  const spec = effective.spec as unknown as JsonObject;
  return leavesOf(spec, provenance).map(({ path, value, from }) => ({
    path: renderPath(['spec', ...path]),
    value: isSecret(spec, path) ? '[secret]' : value,
    from,
  }));
}

function isSecret(spec: JsonObject, [section, name, field]: readonly string[]): boolean {
  if (section === 'join') return name === 'token' && field === 'token';
  if (section === 'proxy') return name === 'http' || name === 'https';
  if (section !== 'files' || field !== 'content' || name === undefined || !isObject(spec.files)) return false;
  const file = spec.files[name];
  return isObject(file) && file.secret === true;
}
