// prototype/donor/testing.ts: a site in memory for tests: one pool, its nodes, and what a look from inside answers.
import type { Site } from '../site.ts';
import { type Lab, lab } from '../testing.ts';

export interface DonorLab extends Lab {
  site: Site;
  deps: { clock: Lab['clock']; signal: AbortSignal; onInspect(node: string): void; onWarning(text: string): void };
  /** What was told through the deps. */
  messages: string[];
}

/** Without `hasCluster`, scripts answer in the clear: nobody else could read them. */
export function donorLab({ hasCluster = true }: { hasCluster?: boolean } = {}): DonorLab {
  const world = lab();
  const messages: string[] = [];
  const site: Site = {
    factory: world.factory,
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

/** What the inspection script prints on the machine with that VM id, with these lines besides. */
export function inspectionOf(vmId: string, ...lines: string[]): string {
  return ['headstart-inspect\t1', `vm-id\t${vmId}`, ...lines, 'end', ''].join('\n');
}
