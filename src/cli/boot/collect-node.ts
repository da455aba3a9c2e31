// cli/boot/collect-node.ts: collects the boot data of a node through its cluster, with the Node object, which says when it became Ready.
import { UserError } from '../../base/errors.ts';
import { Forbidden } from '../../base/failures.ts';
import { interrupted } from '../../boot/collect/collect.ts';
import type { BundleMember, CollectResult } from '../../boot/collect/collect-result.ts';
import type { CollectItem } from '../../boot/collect/items.ts';
import { collectThrough } from '../../boot/collect/remote.ts';
import type { NodeReader } from '../../cluster/cluster.ts';

export interface CollectNodeOptions {
  boot: string;
  items: readonly CollectItem[];
  deadlineMs: number;
  signal: AbortSignal;
}

const NODE_OBJECT = 'kubernetes-node.json';

export async function collectNode(
  reader: NodeReader,
  name: string,
  { boot, items, deadlineMs, signal }: CollectNodeOptions,
): Promise<CollectResult> {
  try {
    const node = await readNode(reader, name, signal);
    const script = (text: string) => reader.runReadOnly(name, text, { deadlineMs, signal });
    const collected = await collectThrough(script, { from: name, items });
    const hostname = node.hostname ?? name;
    const members = collected.members.map((member) => withHostname(member, hostname));
    if (boot !== '0') return { ...collected, hostname, members }; // the object is about the current boot
    return {
      hostname,
      members: [...members, ...node.members],
      missed: [...collected.missed, ...node.missed],
    };
  } catch (error) {
    throw signal.aborted ? interrupted() : error;
  }
}

interface SeenNode extends Pick<CollectResult, 'members' | 'missed'> {
  hostname?: string | undefined;
}

/** The right to read pods is enough for the files of the node. */
async function readNode(reader: NodeReader, name: string, signal: AbortSignal): Promise<SeenNode> {
  let text: string | undefined;
  try {
    text = await reader.readObject(name, signal);
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error;
    return { members: [], missed: [{ name: NODE_OBJECT, why: error.message }] };
  }
  if (text === undefined)
    throw new UserError(`there is no node ${name} in the cluster`, {
      code: 'boot/no-such-node',
      kept: 'Nothing was created.',
      next: 'list the nodes with `kubectl get nodes`; --context names another cluster',
    });
  const { metadata } = JSON.parse(text) as { metadata?: { labels?: Record<string, string> } };
  return {
    members: [{ name: NODE_OBJECT, bytes: Buffer.from(`${text}\n`) }],
    missed: [],
    hostname: metadata?.labels?.['kubernetes.io/hostname'],
  };
}

/** In a pod, uname reports the name of the pod. */
function withHostname(member: BundleMember, hostname: string): BundleMember {
  if (member.name !== 'uname.txt') return member;
  const text = Buffer.from(member.bytes)
    .toString()
    .replace(/^(\S+) \S+/, (_, system) => `${system} ${hostname}`);
  return { ...member, bytes: Buffer.from(text) };
}
