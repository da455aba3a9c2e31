// node/document/schema/json-schema.ts: the published JSON Schema of a version of the document, for editors and pipelines. It accepts every
// valid document. Only `headstart node check` also checks formats and fields that depend on each other.
import * as z from 'zod/mini';
import type { ApiVersion } from './convert.ts';
import { nodeConfigV1, V1 } from './v1.ts';
import { nodeConfigV1alpha1 } from './v1alpha1.ts';

export type NodeConfigJsonSchema = z.core.JSONSchema.BaseSchema;

export function jsonSchemaOf(version: ApiVersion): NodeConfigJsonSchema {
  const schema = version === V1 ? nodeConfigV1 : nodeConfigV1alpha1;
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  const named = { $schema, $id: `https://${version}/node-config.json`, title: `NodeConfig ${version}`, ...rest };
  return JSON.parse(JSON.stringify(named)) as NodeConfigJsonSchema;
}
