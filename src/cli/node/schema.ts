// cli/node/schema.ts: `headstart node schema`: which fields may a document have? Prints the JSON Schema for editors, or a table for people.
import { UserError } from '../../base/errors.ts';
import { type ApiVersion, isApiVersion, NODE_CONFIG_VERSIONS } from '../../node/document/schema/convert.ts';
import { type Field, fieldsOf } from '../../node/document/schema/fields.ts';
import { jsonSchemaOf } from '../../node/document/schema/json-schema.ts';
import { printJson } from '../output/json.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';

interface Options {
  apiVersion: string;
  fields?: boolean;
  json?: boolean;
}

export const verb: Verb = {
  examples: [
    'node schema > node-config.schema.json',
    'node schema --fields kubelet',
    'node schema --api-version v1alpha1 --fields',
  ],
  configure(command) {
    command
      .argument('[WORD]', 'with --fields: print only fields with this word in their path')
      .option('--api-version <VERSION>', 'the API version: v1 or v1alpha1', 'v1')
      .option('--fields', 'print a table of the fields instead of the JSON Schema')
      .option('--json', 'print one JSON document');
  },
  run([word], { apiVersion, fields, json }: Options, deps) {
    const version = parseApiVersion(apiVersion);
    if (!fields && word !== undefined) {
      throw new UserError(`'${word}' needs --fields: the JSON Schema cannot be filtered`, { code: 'node/bad-option' });
    }
    const found = fields
      ? fieldsOf(version).filter(({ path }) => path.toLowerCase().includes((word ?? '').toLowerCase()))
      : [];
    if (json)
      printJson(deps, 'NodeConfigSchema', {
        version,
        ...(fields ? { fields: found } : { schema: jsonSchemaOf(version) }),
      });
    else
      deps.stdout(fields ? renderFields(found, screenOf(deps)) : `${JSON.stringify(jsonSchemaOf(version), null, 2)}\n`);
  },
};

/** Accepts `v1` and `headstart.dev/v1`. */
export function parseApiVersion(text: string): ApiVersion {
  const version = text.includes('/') ? text : `headstart.dev/${text}`;
  if (isApiVersion(version)) return version;
  throw new UserError(`unknown API version '${text}'`, {
    code: 'node/bad-api-version',
    next: `use one of ${NODE_CONFIG_VERSIONS.join(', ')}`,
  });
}

function renderFields(fields: readonly Field[], screen: Screen): string {
  return renderTable(
    [
      { title: 'FIELD', cell: ({ path }) => path },
      { title: 'TAKES', cell: ({ takes }) => takes.replaceAll('`', ''), narrow: 'wrap' },
      { title: 'DEFAULT', cell: (field) => (field.isRequired ? '(required)' : (field.default ?? '')) },
      { title: 'WHAT', cell: ({ about }) => about.replaceAll('`', ''), narrow: 'wrap' },
    ],
    fields,
    screen,
  );
}
