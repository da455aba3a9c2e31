// cli/prototype/plan.ts: `headstart prototype plan`: every step with its present state, and the exact change of the model.

import { systemClock } from '../../base/clock.ts';
import { formatSpan } from '../../base/duration.ts';
import { describeJoining, describeWayBack } from '../../prototype/donor/donor-verdict.ts';
import { type FoundDonor, findDonor } from '../../prototype/donor/find-donor.ts';
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
      const wish = { named: namedDonor(options), ...donorTerms(options) };
      const site = await connect(options, deps);
      return printRunPlan(site, await findDonor(site, wish, donorDeps(deps)), options, deps);
    },
  };
}

/** Exit code 3 when something speaks against it: a plan that would be refused is a "no". */
export async function printRunPlan(site: Site, donor: FoundDonor, options: Options, deps: CliDeps): Promise<number> {
  const wish = {
    intent: intentOf(donor.node.name, options, site.gallery, deps),
    terms: donorTerms(options),
    isInspecting: options.inspect === true,
  };
  const { against, ...described } = await describeRun(site, donor, wish, { ...donorDeps(deps), clock: systemClock });
  const told: RunDescription = {
    ...described,
    against: against.map((refusal) => ({ ...refusal, next: hintWithOptions(refusal.next, deps.typed ?? []) })),
  };
  if (options.json) printJson(deps, 'PrototypePlan', told);
  else deps.stdout(renderRunPlan(told, screenOf(deps)));
  return told.against.length > 0 ? 3 : 0;
}

function renderRunPlan(told: RunDescription, screen: Screen): string {
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

function renderInspection({ node, inspection }: RunDescription): string {
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
