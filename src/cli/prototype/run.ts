// cli/prototype/run.ts: `headstart prototype run --node NODE | --pool POOL`: the whole operation; repeated, it resumes.
import { systemClock } from '../../base/clock.ts';
import { type EngineEdges, recoverDonor, runPrototype } from '../../prototype/run/engine.ts';
import { sealMachine, sealNode } from '../../prototype/run/seal.ts';
import { printJsonLine } from '../output/json.ts';
import { connectWorld } from './connect.ts';
import { settleDonor } from './donor.ts';
import { findDonor, requireDonorNamed } from './find-donor.ts';
import { holderName } from './holder.ts';
import { tellPlan } from './plan.ts';
import { showProgress } from './progress.ts';
import { intentOf, type RunOptions, withRunOptions } from './run-options.ts';
import { hintingAtSameWorld } from './same-world.ts';

interface Options extends RunOptions {
  dryRun?: boolean;
  inspect?: boolean;
}

export const verb = hintingAtSameWorld({
  examples: [
    'prototype run --node k8s-pool1-12345678-vmss000000',
    'prototype run --pool k8s-pool1-12345678-vmss --dry-run --inspect',
  ],
  configure: (command) =>
    withRunOptions(command)
      .option('--dry-run', 'print the plan, and change nothing')
      .option('--inspect', 'with --dry-run: also inspect the donor from inside, through a short-lived privileged pod'),
  async run(_args, options: Options, edges) {
    requireDonorNamed(options);
    const signal = edges.signal();
    const world = await connectWorld(options, edges);
    const donor = await findDonor(world, options, edges);
    if (options.dryRun) return tellPlan(world, donor, options, edges);
    const { node, ref, because, strays } = donor;
    const tell = showProgress(edges, options);
    if (because !== undefined) tell({ event: 'donor', node: node.name, because });
    const runId = holderName('run');
    const engine: EngineEdges = {
      ...world.factory,
      cluster: world.cluster,
      clock: systemClock,
      signal,
      homeSignal: edges.secondSignal?.(),
      seal: (nodeName, vmId) => (world.hasCluster ? sealNode : sealMachine)(world.cluster, nodeName, vmId, signal),
      tell,
    };
    for (const stray of strays) {
      await recoverDonor(intentOf(stray.node.name, options, world.gallery, edges), stray.ref, runId, engine);
    }
    const { customData } = await settleDonor(world, { node, ref, options }, edges);
    const intent = intentOf(node.name, options, world.gallery, edges);
    const result = await runPrototype(intent, ref, runId, {
      ...engine,
      ...(customData !== undefined && { customData }),
    });
    if (options.json) return printJsonLine(edges, 'PrototypeRun', { node: node.name, ...result });
    const what = result.steps.length === 0 ? 'nothing was left to do' : 'done';
    edges.stdout(
      `${what}: new instances of ${ref.pool.name} start from version ${result.version}, without bootstrap\n`,
    );
  },
});
