// cli/prototype/plan.ts: `headstart prototype plan`: every step with its present state, and the exact change of the model.
import { systemClock } from '../../base/clock.ts';
import { formatSpan } from '../../base/duration.ts';
import { bootstrapExtensions } from '../../prototype/extensions.ts';
import { observe } from '../../prototype/observe.ts';
import { planSteps } from '../../prototype/plan.ts';
import { refusals } from '../../prototype/preflight.ts';
import { type Intent, type Scene, versionName } from '../../prototype/scene.ts';
import { describeImage } from '../../prototype/status.ts';
import type { InstanceRef } from '../../vms/factory.ts';
import { printJson } from '../output/json.ts';
import { renderTable } from '../output/table.ts';
import type { Edges, Verb } from '../verb.ts';
import { type Connected, connectWorld, locateNode } from './connect.ts';
import { intentOf, type RunOptions, withRunOptions } from './run-options.ts';

export const verb: Verb = {
  examples: [
    'prototype plan --node k8s-pool1-12345678-vmss000000',
    'prototype plan --node k8s-pool1-12345678-vmss000000 --json',
  ],
  configure: withRunOptions,
  async run(_args, options: RunOptions, edges) {
    const world = await connectWorld(options, edges);
    const { ref } = await locateNode(world, options.node, edges.signal());
    return tellPlan(world, intentOf(options, world.gallery, edges), ref, options, edges);
  },
};

/** Exit code 3 when something speaks against it: a plan that would be refused is a "no". */
export async function tellPlan(
  { factory, cluster }: Connected,
  intent: Intent,
  donor: InstanceRef,
  options: { json?: boolean },
  edges: Edges,
): Promise<number> {
  const world = await observe(intent, donor, { factory, cluster, clock: systemClock, signal: edges.signal() });
  const scene: Scene = { world, intent, run: { id: 'plan', isAborting: false } };
  const against = refusals(scene);
  const steps = planSteps(scene);
  const model = modelDiff(scene);
  const exitCode = against.length > 0 ? 3 : 0;
  if (options.json) {
    printJson(edges, 'PrototypePlan', {
      pool: world.pool.ref.name,
      version: versionName(scene),
      steps,
      model,
      against,
    });
    return exitCode;
  }
  edges.stdout(
    renderTable(
      [
        { title: 'STEP', cell: (step) => step.id },
        { title: 'NOW', cell: (step) => step.state },
        { title: 'USUALLY', align: 'right', cell: (step) => formatSpan(step.usuallyMs * 1000) },
        { title: '', cell: (step) => step.title },
      ],
      steps,
    ),
  );
  edges.stdout(`\nThe model of ${world.pool.ref.name}, in one conditional update:\n`);
  for (const { field, from, to } of model) edges.stdout(`  ${field}\n    - ${from}\n    + ${to}\n`);
  for (const refusal of against) edges.stdout(`\nagainst it: ${refusal.reason}\n  next: ${refusal.next}\n`);
  return exitCode;
}

function modelDiff(scene: Scene): { field: string; from: string; to: string }[] {
  const { model } = scene.world.pool;
  const leaving = bootstrapExtensions(model.extensions).map((extension) => extension.name);
  const kept = model.extensions.map((extension) => extension.name).filter((name) => !leaving.includes(name));
  const known = new Map(scene.world.versions.map((version) => [version.id.toLowerCase(), version.name]));
  return [
    { field: 'image', from: describeImage(model.image, known), to: `version ${versionName(scene)}` },
    { field: 'bootstrap', from: model.bootstrap === 'none' ? 'none' : 'custom data', to: 'none' },
    {
      field: 'extensions',
      from: model.extensions.map((e) => e.name).join(', ') || 'none',
      to: kept.join(', ') || 'none',
    },
  ].filter(({ from, to }) => from !== to);
}
