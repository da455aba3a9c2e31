// cli/prototype/run.ts: `headstart prototype run --node NODE`: the whole operation; repeated, it resumes.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '../../base/clock.ts';
import { runPrototype } from '../../prototype/engine.ts';
import { sealNode } from '../../prototype/seal.ts';
import { printJsonLine } from '../output/json.ts';
import type { Verb } from '../verb.ts';
import { connectWorld, locateNode } from './connect.ts';
import { settleDonor } from './donor.ts';
import { tellPlan } from './plan.ts';
import { showProgress } from './progress.ts';
import { intentOf, type RunOptions, withRunOptions } from './run-options.ts';

interface Options extends RunOptions {
  dryRun?: boolean;
}

export const verb: Verb = {
  examples: [
    'prototype run --node k8s-pool1-12345678-vmss000000',
    'prototype run --node k8s-pool1-12345678-vmss000000 --dry-run',
  ],
  configure: (command) =>
    withRunOptions(command).option('--dry-run', 'print the very plan that would run, and change nothing'),
  async run(_args, options: Options, edges) {
    const signal = edges.signal();
    const world = await connectWorld(options, edges);
    const { node, ref } = await locateNode(world, options.node, signal);
    const intent = intentOf(options, world.gallery, edges);
    if (options.dryRun) return tellPlan(world, intent, ref, options, edges);
    const { customData } = await settleDonor(world, { node, ref, options }, edges);
    const result = await runPrototype(intent, ref, `${hostname()}-${randomUUID().slice(0, 8)}`, {
      factory: world.factory,
      cluster: world.cluster,
      clock: systemClock,
      signal,
      ...(customData !== undefined && { customData }),
      seal: (nodeName, vmId) => sealNode(world.cluster, nodeName, vmId, signal),
      tell: showProgress(edges, options),
    });
    if (options.json) return printJsonLine(edges, 'PrototypeRun', { ...result });
    const what = result.steps.length === 0 ? 'nothing was left to do' : 'done';
    edges.stdout(
      `${what}: new instances of ${ref.pool.name} start from version ${result.version}, without bootstrap\n`,
    );
  },
};
