// cli/prototype/node-name.ts: can this be the name of a node at all? It becomes part of an address at the API server, where `..` leads elsewhere.
import { InvalidArgumentError } from 'commander';

const MOST_CHARACTERS = 253;

export function nodeName(text: string): string {
  if (text.length <= MOST_CHARACTERS && /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(text)) return text;
  throw new InvalidArgumentError('No node can be called that.');
}
