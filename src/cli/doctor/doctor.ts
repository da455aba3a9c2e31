// cli/doctor/doctor.ts: `headstart doctor`: what does this machine have and lack for each capability, and what fixes it?
import { Argument } from 'commander';
import {
  CAPABILITY_NAMES,
  type Capability,
  type CapabilityCheck,
  type CapabilityState,
  type CapabilityVerdict,
  judgeMachine,
} from '../../host/doctor/judge-machine.ts';
import type { MachineFacts } from '../../host/doctor/machine-facts.ts';
import { SHARED_GROUPS } from '../help.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint, type Style } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { type Column, printable, renderTable } from '../output/table.ts';
import { withHomeOption } from '../pool/home.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type DoctorOptions, readMachine } from './read-machine.ts';

/** A parameter, so that tests can pass the facts of other machines. */
export type ReadMachine = (
  asked: readonly Capability[],
  options: DoctorOptions,
  deps: Pick<CliDeps, 'env'>,
) => Promise<MachineFacts>;

export const verb = doctor(readMachine);

const ANSWER_IS_NO = 3;

export function doctor(read: ReadMachine): Verb {
  return {
    examples: ['doctor', 'doctor pool cluster', 'doctor boot --json'],
    notes:
      'It changes nothing and calls no server: kubeconfig, Azure settings and logins are read, not tried.\n\n' +
      'Exit code: 0 everything required is there, 3 something required is missing.',
    configure(command) {
      withHomeOption(command)
        .addArgument(
          new Argument('[CAPABILITY...]', 'what this machine is to do; default: all').choices(CAPABILITY_NAMES),
        )
        .optionsGroup(SHARED_GROUPS.cluster)
        .option('--kubeconfig <FILE>', 'the kubeconfig; default: KUBECONFIG, else ~/.kube/config')
        .option('--context <NAME>', 'the context of the kubeconfig')
        .optionsGroup('')
        .option('--json', 'print one JSON document');
    },
    async run(args, options: DoctorOptions & { json?: boolean }, deps) {
      const asked = args.length > 0 ? (args as Capability[]) : CAPABILITY_NAMES;
      const capabilities = withNames(judgeMachine(asked, await read(asked, options, deps)), deps);
      const isReady = capabilities.every(({ state }) => state !== 'missing');
      if (options.json) printJson(deps, 'Doctor', { isReady, capabilities });
      else deps.stdout(renderDoctor(capabilities, args.length > 0, screenOf(deps)));
      return isReady ? 0 : ANSWER_IS_NO;
    },
  };
}

/** A user of the plugin of kubectl has no program `headstart`. */
function withNames(verdicts: readonly CapabilityVerdict[], { named = (text) => text }: CliDeps): CapabilityVerdict[] {
  return verdicts.map((verdict) => ({
    ...verdict,
    checks: verdict.checks.map((check) => (check.fix === undefined ? check : { ...check, fix: named(check.fix) })),
  }));
}

/** Who names capabilities also wants to know what was found, such as the context of the kubeconfig. */
function renderDoctor(capabilities: readonly CapabilityVerdict[], isNamed: boolean, screen: Screen): string {
  const parts = capabilities.flatMap(({ capability, checks }) => {
    const lines = checks.flatMap((check) => {
      if (!check.isThere) return renderLack(check, screen);
      return isNamed && check.detail !== undefined ? [renderCheck(paint('found', 'good', screen), check, screen)] : [];
    });
    return lines.length > 0 ? [`${paint(capability, 'header', screen)}\n${lines.join('\n')}\n`] : [];
  });
  return [renderTable(COLUMNS, capabilities, screen), ...parts].join('\n');
}

function renderLack(check: CapabilityCheck, screen: Screen): string[] {
  const kind = check.isRequired ? paint('missing', 'bad', screen) : paint('optional', 'warning', screen);
  return [renderCheck(kind, check, screen), wrapLines(`  fix: ${printable(check.fix ?? '')}`, screen.columns)];
}

function renderCheck(kind: string, { what, detail }: CapabilityCheck, screen: Screen): string {
  return wrapLines(`  ${kind}: ${printable(detail === undefined ? what : `${what}: ${detail}`)}`, screen.columns);
}

const STYLES: Readonly<Record<CapabilityState, Style>> = { ready: 'good', limited: 'warning', missing: 'bad' };

const COLUMNS: readonly Column<CapabilityVerdict>[] = [
  { title: 'CAPABILITY', cell: ({ capability }) => capability },
  { title: 'STATE', cell: ({ state }) => state, style: ({ state }) => STYLES[state] },
  { title: 'WHAT', cell: ({ about }) => about, narrow: 'wrap' },
];
