// prototype/donor/testing.ts: an in-memory site for tests: one pool, its nodes, and the output of an inspection.
import type { Site } from '../site.ts';
import { type Lab, lab } from '../testing.ts';

export interface DonorLab extends Lab {
  site: Site;
  deps: { clock: Lab['clock']; signal: AbortSignal; onInspect(node: string): void; onWarning(text: string): void };
  /** The calls of `onInspect` and `onWarning`. */
  messages: string[];
}

/** Without `hasCluster` the channel is private and scripts print plain text. */
export function donorLab({ hasCluster = true }: { hasCluster?: boolean } = {}): DonorLab {
  const world = lab();
  const messages: string[] = [];
  const site: Site = {
    provider: world.provider,
    cluster: world.cluster,
    hasCluster,
    channel: hasCluster ? 'logged' : 'private',
    gallery: world.intent.gallery,
  };
  const deps = {
    clock: world.clock,
    signal: new AbortController().signal,
    onInspect: (node: string) => void messages.push(`inspect ${node}`),
    onWarning: (text: string) => void messages.push(`warning ${text}`),
  };
  return { ...world, site, deps, messages };
}

/** The output of the inspection script on the machine with that VM id, with these extra lines. */
export function inspectionOf(vmId: string, ...lines: string[]): string {
  return ['headstart-inspect\t1', `vm-id\t${vmId}`, ...lines, 'end', ''].join('\n');
}
