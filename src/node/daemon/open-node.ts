// node/daemon/open-node.ts: creates what the daemon and the command line need from this node: the store, the Node
// object, the source of documents. `root` is `/`, or a folder in tests.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { type RunCommand, runCommand } from '../../base/command.ts';
import { readKubeletCredential } from '../api/kubelet-credential.ts';
import { type OwnNode, ownNode } from '../api/own-node.ts';
import type { NodeStore } from '../apply/contract.ts';
import { openNodeStore } from '../apply/store.ts';
import { systemDeps } from '../apply/system-deps.ts';
import { CERTIFICATE_PATH, KUBECONFIG_PATH } from '../desired/aspects/join.ts';
import { chooseSource, type SourceOptions } from '../metadata/choose.ts';
import type { MetadataSource } from '../metadata/source.ts';
import { readMachine, readOverrides, readRelease } from '../observe/read-node.ts';
import { nodeHooks } from './node-hooks.ts';
import type { NodeContext } from './read-assignment.ts';

export interface OpenNode {
  root: string;
  clock: Clock;
  run: RunCommand;
  store: NodeStore;
  node: OwnNode;
  source: MetadataSource;
  context(): NodeContext;
}

export type OpenOptions = { root: string } & Pick<SourceOptions, 'file' | 'platform' | 'url'>;

export function openNode({ root, ...from }: OpenOptions): OpenNode {
  const [clock, run] = [systemClock, runCommand];
  const text = (path: string) => textOf(join(root, path));
  const node = ownNode({
    credential: () =>
      readKubeletCredential({
        kubeconfig: text(KUBECONFIG_PATH),
        readText: text,
        hostName: text('proc/sys/kernel/hostname')?.trim().toLowerCase(),
      }),
  });
  const hasFile = (path: string) => existsSync(join(root, path));
  const hooks = nodeHooks({
    node,
    clock,
    hasCredential: () => hasFile(KUBECONFIG_PATH),
    hasJoined: () => hasFile(KUBECONFIG_PATH) || hasFile(CERTIFICATE_PATH),
  });
  return {
    root,
    clock,
    run,
    node,
    store: openNodeStore(systemDeps({ root, run, clock, node: hooks })),
    source: chooseSource({ root, run, clock, newRequestId: randomUUID, ...from }),
    context: () => contextOf(root),
  };
}

export function contextOf(root: string): NodeContext {
  return { image: readRelease(root), machine: readMachine(), overrides: readOverrides(root) };
}

/** Follows links, because kubelet's certificate is a link that kubelet makes. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
