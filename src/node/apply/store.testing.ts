// node/apply/store.testing.ts: a node in service and documents for it, for tests of the store.
import { expect, onTestFinished } from 'vitest';
import type { NodeConfig, UpdatePolicy } from '../document/config.ts';
import { aConfig } from '../document/configs.testing.ts';
import type { ApplyOutcome, Assignment, NodeStore } from './contract.ts';
import { assignmentOf, NodeFolder } from './node-folder.testing.ts';
import { openNodeStore } from './store.ts';

export const UNORDERED = { isOrdered: false };
export const ORDERED = { isOrdered: true };
export const MINUTE_MS = 60_000;

/** Removed when the test ends. */
export function aNode(): NodeFolder {
  const node = new NodeFolder();
  onTestFinished(() => node.remove());
  return node;
}

export const A = assignmentOf(withPods(110, 1));
export const B = assignmentOf(withPods(120, 2));
export const C = assignmentOf(withPods(130, 3));

export function withPods(maxPods: number, generation: number, over: Partial<NodeConfig> = {}): Partial<NodeConfig> {
  return { generation, kubelet: { ...aConfig().kubelet, maxPods }, ...over };
}

export function withUpdate(maxPods: number, generation: number, update: Partial<UpdatePolicy>): Assignment {
  return assignmentOf(withPods(maxPods, generation, { update: { ...aConfig().update, ...update } }));
}

/** Checks every 30 seconds; kubelet sends heartbeats unless `isWell` is false. */
export async function watch(node: NodeFolder, store: NodeStore, minutes: number, isWell = true): Promise<ApplyOutcome> {
  let outcome = await store.check();
  for (let i = 0; i < minutes * 2 && outcome.kind === 'applied'; i++) {
    node.clock.advance(MINUTE_MS / 2);
    if (isWell) node.beat();
    outcome = await store.check();
  }
  return outcome;
}

/** Runs A, which is the last known good. */
export async function inService(): Promise<{ node: NodeFolder; store: NodeStore }> {
  const node = aNode();
  const store = openNodeStore(node.deps());
  await store.apply(A, UNORDERED);
  node.join();
  await store.apply(A, UNORDERED);
  expect((await watch(node, store, 6)).kind).toBe('verified');
  node.ran.length = 0;
  node.clock.advance(2_000);
  return { node, store };
}

export const kindAndCode = ({ kind, code }: ApplyOutcome) => [kind, code];
