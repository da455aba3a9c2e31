// cli/prototype/plan.ts: `headstart prototype plan`: every step with its present state, and the exact change of the model.
import { systemClock } from '../../base/clock.ts';
import { formatSpan } from '../../base/duration.ts';
import {
  type DonorVerdict,
  describeJoining,
  describeWayBack,
  donorRefusals,
} from '../../prototype/donor/donor-verdict.ts';
import { type FieldChange, modelDiff } from '../../prototype/run/model-diff.ts';
import { observe } from '../../prototype/run/observe.ts';
import { type PlannedStep, planSteps } from '../../prototype/run/plan.ts';
import { type Refusal, refusals } from '../../prototype/run/preflight.ts';
import { type Scene, versionName } from '../../prototype/run/scene.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { Edges, Verb } from '../verb.ts';
import { type Connected, connectWorld } from './connect.ts';
import { allowances, lookAtDonor, reasonNotToInspect } from './donor.ts';
import { type FoundDonor, findDonor, requireDonorNamed } from './find-donor.ts';
import { intentOf, type RunOptions, withRunOptions } from './run-options.ts';
import { hintingAtSameWorld, inSameWorld } from './same-world.ts';

interface Options extends RunOptions {
  inspect?: boolean;
}

export const verb = planVerb(connectWorld);

export function planVerb(connect: typeof connectWorld): Verb {
  return hintingAtSameWorld({
    examples: [
      'prototype plan --node k8s-pool1-12345678-vmss000000',
      'prototype plan --pool k8s-pool1-12345678-vmss --inspect --json',
    ],
    configure: (command) =>
      withRunOptions(command).option(
        '--inspect',
        'also inspect the donor from inside (read-only), through a short-lived privileged pod',
      ),
    async run(_args, options: Options, edges) {
      requireDonorNamed(options);
      const world = await connect(options, edges);
      return tellPlan(world, await findDonor(world, options, edges), options, edges);
    },
  });
}

interface Told {
  node: string;
  /** Why it was chosen; absent when it was named. */
  because?: string;
  pool: string;
  version: string;
  steps: PlannedStep[];
  model: FieldChange[];
  inspection: { isDone: true; verdict: DonorVerdict } | { isDone: false; because: string };
  against: Refusal[];
}

/** Exit code 3 when something speaks against it: a plan that would be refused is a "no". */
export async function tellPlan(
  connected: Connected,
  donor: FoundDonor,
  options: Options,
  edges: Edges,
): Promise<number> {
  const { factory, cluster, gallery } = connected;
  const intent = intentOf(donor.node.name, options, gallery, edges);
  const world = await observe(intent, donor.ref, { ...factory, cluster, clock: systemClock, signal: edges.signal() });
  const scene: Scene = { world, intent, run: { id: 'plan', isAborting: false } };
  const inspection = await inspectIfAsked(connected, donor, options, edges);
  const told: Told = {
    node: donor.node.name,
    ...(donor.because !== undefined && { because: donor.because }),
    pool: world.pool.ref.name,
    version: versionName(scene),
    steps: planSteps(scene),
    model: modelDiff(scene),
    inspection,
    against: [
      ...refusals(scene),
      ...(inspection.isDone ? donorRefusals(inspection.verdict, allowances(options)) : []),
    ].map((refusal) => ({ ...refusal, next: inSameWorld(refusal.next, options) })),
  };
  if (options.json) printJson(edges, 'PrototypePlan', told);
  else edges.stdout(renderPlan(told, screenOf(edges)));
  return told.against.length > 0 ? 3 : 0;
}

async function inspectIfAsked(
  connected: Connected,
  { node, ref }: FoundDonor,
  options: Options,
  edges: Edges,
): Promise<Told['inspection']> {
  if (!options.inspect) return { isDone: false, because: '--inspect was not given' };
  const because = reasonNotToInspect(node);
  if (because !== undefined) return { isDone: false, because };
  const { verdict } = await lookAtDonor(connected, { node, ref, options }, edges);
  return { isDone: true, verdict };
}

function renderPlan(told: Told, screen: Screen): string {
  const sentences = (text: string, indent?: number) => wrapLines(text, screen.columns, indent);
  const chosen = told.because === undefined ? '' : `donor: ${told.node} (${printable(told.because)})\n\n`;
  const steps = renderTable(
    [
      { title: 'STEP', cell: (step) => step.id },
      { title: 'NOW', cell: (step) => step.state, style: (step) => (step.state === 'next' ? 'path' : undefined) },
      { title: 'USUALLY', align: 'right', cell: (step) => formatSpan(step.usuallyMs * 1000) },
      { title: '', cell: (step) => step.title, narrow: 'wrap' },
    ],
    told.steps,
    screen,
  );
  const changes = told.model.map(
    ({ field, from, to }) => `  ${field}\n    - ${printable(from)}\n    + ${printable(to)}\n`,
  );
  const model =
    changes.length === 0
      ? `\nThe model of ${told.pool} stays as it is.\n`
      : `\nThe model of ${told.pool}, in one conditional update:\n${changes.join('')}`;
  const against = told.against.map(
    ({ reason, next }) =>
      `\n${sentences(`${paint('against it:', 'bad', screen)} ${printable(reason)}`)}\n  next: ${printable(next)}\n`,
  );
  return `${sentences(chosen)}${steps}${sentences(model)}${sentences(renderInspection(told))}${against.join('')}`;
}

function renderInspection({ node, inspection }: Told): string {
  if (!inspection.isDone) {
    return `\n${node} was not inspected (${inspection.because}): how a clone would join, the way back, and names and addresses written down on its disk are not part of this plan.\n`;
  }
  const { joining, wayBack, unpatched, findings } = inspection.verdict;
  const rows: [string, string][] = [
    ...(joining ? [['a clone joins by', describeJoining(joining)] as [string, string]] : []),
    ['the way back is', describeWayBack(wayBack)],
    ['patched', unpatched.length === 0 ? 'yes, as far as can be told' : `no: ${unpatched.join('; ')}`],
    ['written down', findings.length === 0 ? 'no name and no address of this node' : findings.join('; ')],
  ];
  const lines = rows.map(([what, how]) => `  ${what.padEnd(18)}${printable(how)}\n`);
  return `\n${node}, seen from inside:\n${lines.join('')}`;
}
