// boot/load/pick-boot.ts: which boot do `--boot` and `--node` select? 0 is the last, -1 the one before; or a boot id, the name of a
// listing in a document, or a node's name.
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../model/record.ts';

const MOST_NAMED = 8;

export function pickBoot(boots: readonly BootRecord[], which: string): BootRecord {
  const isNumber = /^-?\d{1,6}$/.test(which);
  const picked = isNumber
    ? byNumber(boots, Number(which))
    : (byId(boots, which) ?? byName(boots, which) ?? bootsOfNode(boots, which).at(-1));
  if (picked) return picked;
  const nodes = nodesOf(boots);
  if (!isNumber && nodes.length > 1) throw noSuchNode(which, nodes);
  const named = byPartOfName(boots, which);
  const found = named.length > 1 ? `${named.length} boots match ${which}` : `no boot ${which} in the input`;
  throw new UserError(`${found}; known: ${knownBoots(boots)}`, {
    code: 'boot/no-such-boot',
    next: boots.length === 1 ? 'omit --boot: there is only one boot' : 'pass one of these with --boot',
  });
}

/** For messages: the number of each boot with its name or id. */
export function knownBoots(boots: readonly BootRecord[]): string {
  const known = boots.map(({ bootId, name }, i) => {
    const called = name === undefined ? bootId : `'${name}'`;
    return `${i - boots.length + 1}${called === undefined ? '' : ` (${called})`}`;
  });
  const more = known.length > MOST_NAMED ? `, and ${known.length - MOST_NAMED} earlier ones` : '';
  return `${known.slice(-MOST_NAMED).join(', ')}${more}`;
}

/** All boots of one node. A list of nodes is not a list of boots: without a name, several nodes are an error. */
export function bootsOfOneNode(boots: readonly BootRecord[], node: string | undefined): BootRecord[] {
  const nodes = nodesOf(boots);
  if (node !== undefined) {
    const its = bootsOfNode(boots, node);
    if (its.length === 0) throw noSuchNode(node, nodes);
    return its;
  }
  if (nodes.length < 2) return [...boots];
  throw new UserError(`the inputs are about ${nodes.length} nodes: ${listed(nodes)}`, {
    code: 'boot/which-node',
    next: `choose one: --node ${nodes[0]}`,
  });
}

function bootsOfNode(boots: readonly BootRecord[], node: string): BootRecord[] {
  return boots.filter(({ host }) => host.nodeName === node || host.hostname === node);
}

function nodesOf(boots: readonly BootRecord[]): string[] {
  return [...new Set(boots.flatMap(({ host }) => host.nodeName ?? []))].sort();
}

function noSuchNode(node: string, nodes: readonly string[]): UserError {
  const known = nodes.length > 0 ? `known: ${listed(nodes)}` : 'they name no node';
  return new UserError(`the inputs have no node ${node}; ${known}`, {
    code: 'boot/no-such-node',
    next: nodes.length > 0 ? `pass one of these with --node` : 'omit --node',
  });
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** As journalctl counts: 0 and negative from the last, positive from the first. */
function byNumber(boots: readonly BootRecord[], number: number): BootRecord | undefined {
  return number > 0 ? boots[number - 1] : boots[boots.length - 1 + number];
}

/** The whole name, or a part of it that no other boot has; upper and lower case are the same. */
function byName(boots: readonly BootRecord[], which: string): BootRecord | undefined {
  const wanted = which.toLowerCase();
  const whole = boots.find(({ name }) => name?.toLowerCase() === wanted);
  const parts = byPartOfName(boots, which);
  return whole ?? (parts.length === 1 ? parts[0] : undefined);
}

function byPartOfName(boots: readonly BootRecord[], which: string): BootRecord[] {
  const wanted = which.toLowerCase();
  return wanted === '' ? [] : boots.filter(({ name }) => name?.toLowerCase().includes(wanted));
}

function byId(boots: readonly BootRecord[], id: string): BootRecord | undefined {
  const wanted = id.replaceAll('-', '').toLowerCase();
  return wanted.length < 4 ? undefined : boots.find((boot) => boot.bootId?.startsWith(wanted));
}
