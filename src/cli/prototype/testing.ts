// cli/prototype/testing.ts: runs a prototype verb on an in-memory site with a pool and its nodes.
import { type DonorLab, donorLab } from '../../prototype/donor/testing.ts';
import type { ConnectSite } from '../compose/connect-site.ts';
import { type CliResult, runVerb } from '../testing.ts';
import type { Verb } from '../verb.ts';

export interface VerbLab extends DonorLab {
  /** Runs a verb that takes `connect`. */
  runVerb(verb: (connect: ConnectSite) => Verb, ...argv: string[]): Promise<CliResult>;
}

export function verbLab(options: { hasCluster?: boolean } = {}): VerbLab {
  const world = donorLab(options);
  return {
    ...world,
    runVerb: (verb, ...argv) =>
      runVerb(
        verb(async () => world.site),
        argv,
        { nowUs: world.clock.nowMs() * 1000 },
      ),
  };
}
