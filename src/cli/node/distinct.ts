// cli/node/distinct.ts: `headstart node distinct`: do machines share what identifies one of them? Exits 3 when they do.
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { COLLECT_SCRIPT } from '../../identity/collect-script.ts';
import { identitySchema, isKnown, type MachineIdentity } from '../../identity/identity.ts';
import { type Distinctness, judgeDistinct } from '../../identity/judge-distinct.ts';
import { parseIdentity } from '../../identity/parse-identity.ts';
import { printJson } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { readBytes } from './read-document.ts';
import { renderDistinct } from './render-distinct.ts';

interface Options {
  collect?: boolean;
  root: string;
  json?: boolean;
}

/** Machines that are named instead of given as files. The executable on nodes has none. */
export interface NamedMachines {
  examples: string[];
  argument: string;
  configure(command: Command): void;
  /** `names` may be empty when an option names the machines; undefined: no option does. */
  read(names: readonly string[], options: object, deps: CliDeps): Promise<MachineIdentity[] | undefined>;
}

const ANSWER_IS_NO = 3;
const EXAMPLES = ['node distinct --collect', 'node distinct a.json b.json'];

export const verb = nodeDistinct();

export function nodeDistinct(named?: NamedMachines): Verb {
  return {
    examples: [...(named?.examples ?? []), ...EXAMPLES],
    notes:
      'Exit code: 0 they share nothing that was compared, 3 they share something.\n' +
      'Other machines: ssh NODE headstart node distinct --collect > NODE.json',
    configure(command) {
      command
        .argument('[MACHINE...]', named?.argument ?? 'files that --collect printed; - is standard input')
        .option('--collect', 'print what identifies this machine, with hashes instead of confidential values')
        .option('--root <FOLDER>', 'with --collect: use this folder as the root of the machine, for tests', '/')
        .option('--json', 'print one JSON document');
      named?.configure(command);
    },
    async run(given, options: Options, deps) {
      const machines = [...new Set(given)];
      if (options.collect) return printOwn(machines, options, deps);
      const names = machines.filter((one) => !isFile(one));
      const others = await named?.read(names, options, deps);
      if (!others && names.length > 0) throw notAFile(names[0]!);
      const all = [...(others ?? []), ...machines.filter(isFile).map((path) => readIdentityFile(path, deps))];
      if (all.length === 0 || (all.length === 1 && !others)) throw tooFew();
      const judged = judgeDistinct(all);
      const labels = all.map(({ name }) => name);
      if (options.json) printJson(deps, 'NodeDistinct', answer(labels, judged));
      else deps.stdout(renderDistinct(labels, judged));
      return judged.isDistinct ? 0 : ANSWER_IS_NO;
    },
  };
}

const answer = (machines: string[], { isDistinct, ...found }: Distinctness) => ({ isDistinct, machines, ...found });

/** Names of instances have neither a slash nor a dot. */
const isFile = (machine: string) => machine === '-' || /[/.]/.test(machine);

async function printOwn(machines: readonly string[], { root }: Options, deps: CliDeps): Promise<void> {
  if (machines.length > 0)
    throw new UserError('--collect is about this machine and takes no other', { code: 'node/bad-option' });
  const place = root === '/' ? [''] : [root, 'false']; // the addresses of a folder are unknown
  const argv = ['/bin/sh', '-c', COLLECT_SCRIPT, 'sh', ...place] as const;
  const { stdout, stderr } = await runCommand(argv, { signal: deps.signal() });
  const parsed = parseIdentity(hostname(), stdout.toString());
  if (!parsed)
    throw new UserError(`could not read what identifies this machine: ${stderr.trim() || 'the script was stopped'}`, {
      code: 'node/no-identity',
      exitCode: 1,
    });
  const { facts } = parsed.identity;
  const own = facts['host-name'];
  const name = isKnown(own) ? own.values[0]!.value : parsed.identity.name;
  printJson(deps, 'NodeIdentity', { name, takenAt: new Date(deps.nowUs() / 1000).toISOString(), facts });
}

function readIdentityFile(path: string, deps: CliDeps): MachineIdentity {
  const bytes = readBytes(path, deps, 'write one with `headstart node distinct --collect > FILE` on the machine');
  try {
    const { facts } = identitySchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return { name: path, facts };
  } catch (cause) {
    throw new UserError(`${path} is not what \`headstart node distinct --collect\` prints`, {
      code: 'node/bad-identity',
      next: 'collect it again with the same version of headstart',
      cause,
    });
  }
}

function notAFile(name: string): UserError {
  return new UserError(`'${name}' is not a file: expected a path with a slash or a dot`, {
    code: 'node/bad-option',
    next: `./${name} if it is a file; the names of instances work where their pools are`,
  });
}

function tooFew(): UserError {
  return new UserError('expected at least two machines to compare', {
    code: 'node/bad-option',
    next: 'headstart node distinct --help',
  });
}
