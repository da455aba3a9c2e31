// cli/prototype/node-name.ts: is this a valid node name? It becomes part of a URL of the API server, where `..` would name another resource.
import { InvalidArgumentError } from 'commander';

const MOST_CHARACTERS = 253;

export function nodeName(text: string): string {
  if (text.length <= MOST_CHARACTERS && /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(text)) return text;
  throw new InvalidArgumentError('This is not a valid node name.');
}
