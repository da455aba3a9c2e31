// cli/node/convert.ts: `headstart node convert FILE --to VERSION`: converts a document to another API version, and signs it on request.
import { UserError } from '../../base/errors.ts';
import { convert, isApiVersion } from '../../node/document/schema/convert.ts';
import { signDocument } from '../../node/document/signature.ts';
import type { JsonObject } from '../../schema/json.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { readBytes, readObject, unusable } from './read-document.ts';
import { parseApiVersion } from './schema.ts';

interface Options {
  to: string;
  format: string;
  sign?: string;
  json?: boolean;
}

export const verb: Verb = {
  examples: [
    'node convert old.yaml --to v1 > node-config.yaml',
    'node convert node-config.yaml --sign key.pem --format json',
  ],
  configure(command) {
    command
      .argument('<FILE>', 'a NodeConfig document of any API version; - is standard input')
      .option('--to <VERSION>', 'the API version to convert to: v1 or v1alpha1', 'v1')
      .option('--format <FORMAT>', 'the format to print: yaml or json', 'yaml')
      .option('--sign <FILE>', 'sign the result with this private key (ed25519, PEM)')
      .option('--json', 'print one JSON document that contains the converted one');
  },
  async run([file], options: Options, deps) {
    const to = parseApiVersion(options.to);
    if (!/^(?:yaml|json)$/.test(options.format)) {
      throw new UserError(`--format: expected yaml or json, got '${options.format}'`, { code: 'node/bad-option' });
    }
    const { signature, ...document } = await readObject(file!, deps);
    if (document.kind !== 'NodeConfig' || !isApiVersion(document.apiVersion)) {
      throw unusable(file!, {
        reason: 'config/unsupported-version',
        path: 'apiVersion',
        message: 'is not a version of NodeConfig',
      });
    }
    const converted = signed(convert(document, to), options.sign, deps);
    if (signature !== undefined && options.sign === undefined) {
      deps.stderr(
        'warning: the signature was removed, because it is not valid for the converted document; sign again with --sign\n',
      );
    }
    if (converted.metadata && Object.hasOwn(converted.metadata as JsonObject, 'extra')) {
      deps.stderr(
        `note: fields that ${to} does not have are kept under metadata.extra; converting back restores them\n`,
      );
    }
    if (options.json) printJson(deps, 'NodeConfigConverted', { from: document.apiVersion, to, document: converted });
    else deps.stdout(await render(converted, options.format));
  },
};

function signed(document: JsonObject, keyFile: string | undefined, deps: CliDeps): JsonObject {
  if (keyFile === undefined) return document;
  const key = Buffer.from(readBytes(keyFile, deps)).toString('utf8');
  try {
    return signDocument(document, key);
  } catch (cause) {
    throw new UserError(`${keyFile} is not a private key for signing`, {
      code: 'node/bad-key',
      next: 'create one with `openssl genpkey -algorithm ed25519 -out key.pem`',
      cause,
    });
  }
}

async function render(document: JsonObject, format: string): Promise<string> {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`;
  const { stringify } = await import('yaml');
  // A YAML 1.1 parser reads `02:00` as a number.
  return stringify(document, { lineWidth: 0, compat: 'yaml-1.1' });
}
