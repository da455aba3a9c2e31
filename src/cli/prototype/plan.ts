// cli/prototype/plan.ts: `headstart prototype plan`: shows every step with its current state, and the exact change to the model.

import { systemClock } from '../../base/clock.ts';
import { formatSpan } from '../../base/duration.ts';
import { describeBootstrapSource, describeCloneJoin } from '../../prototype/donor/donor-verdict.ts';
import { type FoundDonor, findDonor } from '../../prototype/donor/find-donor.ts';
import { describePatchState } from '../../prototype/donor/inspect/patch-state.ts';
import { describeRun, type RunDescription } from '../../prototype/run/describe-run.ts';
import type { Site } from '../../prototype/site.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { wrapLines } from '../output/display-width.ts';
import { hintWithOptions } from '../output/hint-options.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { donorDeps } from './donor-deps.ts';
import { ownNodeNames } from './own-node.ts';
import { donorTerms, intentOf, namedDonor, type PrototypeRunOptions, withRunOptions } from './run-options.ts';

interface Options extends PrototypeRunOptions {
  inspect?: boolean;
}

export const verb = planVerb(connectSite);

export function planVerb(connect: ConnectSite): Verb {
  return {
    examples: [
      'prototype plan --node k8s-pool1-12345678-vmss000000',
      'prototype plan --pool k8s-pool1-12345678-vmss --inspect --json',
    ],
    configure: (command) =>
      withRunOptions(command).option(
        '--inspect',
        'also inspect the donor from inside (read-only), through a short-lived privileged pod',
      ),
    async run(_args, options: Options, deps) {
      const wish = { named: namedDonor(options), ...donorTerms(options), ownNames: ownNodeNames(deps.env) };
      const site = await connect(options, deps);
      return printRunPlan(site, await findDonor(site, wish, donorDeps(deps)), options, deps);
    },
  };
}

/** Exit code 3 if the run would be refused. */
export async function printRunPlan(site: Site, donor: FoundDonor, options: Options, deps: CliDeps): Promise<number> {
  const wish = {
    intent: intentOf(donor.name, options, site.gallery, deps),
    terms: donorTerms(options),
    isInspecting: options.inspect === true,
  };
  const { against, ...described } = await describeRun(site, donor, wish, { ...donorDeps(deps), clock: systemClock });
  const description: RunDescription = {
    ...described,
    against: against.map((refusal) => ({ ...refusal, next: hintWithOptions(refusal.next, deps.typed ?? []) })),
  };
  for (const note of donor.notes) deps.stderr(`note: ${printable(note)}\n`);
  if (options.json) printJson(deps, 'PrototypePlan', description);
  else deps.stdout(renderRunPlan(description, screenOf(deps)));
  return description.against.length > 0 ? 3 : 0;
}

function renderRunPlan(description: RunDescription, screen: Screen): string {
  const sentences = (text: string, indent?: number) => wrapLines(text, screen.columns, indent);
  const chosen =
    description.because === undefined ? '' : `donor: ${description.node} (${printable(description.because)})\n\n`;
  const steps = renderTable(
    [
      { title: 'STEP', cell: (step) => step.id },
      { title: 'NOW', cell: (step) => step.state, style: (step) => (step.state === 'next' ? 'path' : undefined) },
      { title: 'USUALLY', align: 'right', cell: (step) => formatSpan(step.usuallyMs * 1000) },
      { title: '', cell: (step) => step.title, narrow: 'wrap' },
    ],
    description.steps,
    screen,
  );
  const changes = description.model.map(
    ({ field, from, to }) => `  ${field}\n    - ${printable(from)}\n    + ${printable(to)}\n`,
  );
  const model =
    changes.length === 0
      ? `\nThe model of ${description.pool} does not change.\n`
      : `\nThe model of ${description.pool}, in one conditional update:\n${changes.join('')}`;
  const notes = description.notes.map((note) => `\n${sentences(`note: ${printable(note)}`)}\n`);
  const against = description.against.map(
    ({ reason, next }) =>
      `\n${sentences(`${paint('against it:', 'bad', screen)} ${printable(reason)}`)}\n  next: ${printable(next)}\n`,
  );
  return `${sentences(chosen)}${steps}${sentences(model)}${sentences(renderInspection(description))}${notes.join('')}${against.join('')}`;
}

function renderInspection({ node, inspection }: RunDescription): string {
  if (!inspection.isDone) {
    return `\n${node} was not inspected (${inspection.because}): this plan does not show how a clone would join, how a rollback restores the bootstrap, or which names and addresses are on its disk.\n`;
  }
  const { joining, wayBack, unpatched, patches, findings } = inspection.verdict;
  const rows: [string, string][] = [
    ...(joining ? [['clones join by', describeCloneJoin(joining)] as [string, string]] : []),
    ['rollback uses', describeBootstrapSource(wayBack)],
    ['patched', unpatched.length === 0 ? describePatchState(patches) : `no: ${unpatched.join('; ')}`],
    ['on its disk', findings.length === 0 ? 'no name or address of this node' : findings.join('; ')],
  ];
  const lines = rows.map(([what, how]) => `  ${what.padEnd(18)}${printable(how)}\n`);
  return `\n${node}, inspected from inside:\n${lines.join('')}`;
}
