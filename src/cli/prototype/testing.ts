// cli/prototype/testing.ts: the verbs' world in memory: a pool, its nodes, and whatever a test does to them.
import { type Lab, lab } from '../../prototype/testing.ts';
import { type Ran, runVerb } from '../testing.ts';
import type { Verb } from '../verb.ts';
import type { Connected, connectWorld } from './connect.ts';

export interface VerbLab extends Lab {
  /** Runs a verb that is told how to connect. */
  tell(verb: (connect: typeof connectWorld) => Verb, ...argv: string[]): Promise<Ran>;
}

/** Without `hasCluster`, scripts answer in the clear: nobody else could read them. */
export function verbLab(options: { hasCluster?: boolean } = {}): VerbLab {
  const world = lab();
  const connected: Connected = {
    factory: world.factory,
    cluster: world.cluster,
    hasCluster: options.hasCluster ?? true,
    channel: (options.hasCluster ?? true) ? 'logged' : 'private',
    gallery: world.intent.gallery,
  };
  return {
    ...world,
    tell: (verb, ...argv) =>
      runVerb(
        verb(async () => connected),
        argv,
        { nowUs: world.clock.nowMs() * 1000 },
      ),
  };
}

/** What the inspection script prints on the machine with that VM id, with these lines besides. */
export function inspectionOf(vmId: string, ...lines: string[]): string {
  return ['headstart-inspect\t1', `vm-id\t${vmId}`, ...lines, 'end', ''].join('\n');
}
