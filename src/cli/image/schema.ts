// cli/image/schema.ts: `headstart image schema`: prints the JSON Schema of a manifest, for editors and pipelines.
import { manifestJsonSchema } from '../../image/manifest/manifest-schema.ts';
import { printJson } from '../output/json.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  examples: ['image schema > image.schema.json', 'image schema --json'],
  configure: (command) => {
    command.option('--json', 'print one JSON document that contains the schema');
  },
  run(_args, { json }: { json?: boolean }, deps) {
    const schema = manifestJsonSchema();
    if (json) printJson(deps, 'ImageManifestSchema', { schema });
    else deps.stdout(`${JSON.stringify(schema, null, 2)}\n`);
  },
};
