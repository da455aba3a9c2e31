// cli/prototype/own-node.ts: under which names may the machine of this process be a node?
import { hostname } from 'node:os';
import type { CliDeps } from '../verb.ts';

/** In a pod NODE_NAME has the node's name (the chart sets it); the host name is right outside of pods and on the host network. */
export function ownNodeNames({ NODE_NAME }: CliDeps['env'], host: string = hostname()): string[] {
  return [...new Set([NODE_NAME, host].flatMap((name) => name || []))];
}
