// cli/output/hint-options.ts: which options of the typed command does a command in a hint need? Without `--home`, `--no-cluster`
// or `--context` the hinted command would use other pools or another cluster, or fail.
import { TransientError, UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { CliDeps } from '../verb.ts';

/** Option to typed value; true: without a value. */
type TypedOptions = ReadonlyMap<string, string | true>;

interface HintRule {
  /** The hinted commands that need the options, such as `pool list`. */
  commands: RegExp;
  /** Applies only if the typed command is in this group. */
  typed?: string;
  options: readonly string[];
  /** The options go after the options in the hint; otherwise they go first, before the arguments. */
  followsOptions?: boolean;
  leavesOut?(option: string, hint: { command: string; own: TypedOptions }, given: TypedOptions): boolean;
}

const HINT_RULES: readonly HintRule[] = [
  { commands: /^(?:pool|cluster) /, options: ['--home'] },
  { commands: /^image (?:list|publish|promote)$/, options: ['--vms', '--home', '--gallery'] },
  { commands: /^node (?:apply|history|plan|rollback|status|wait)$/, options: ['--root'] },
  {
    commands: /^prototype /,
    typed: 'prototype',
    options: [
      ...['--no-cluster', '--pool', '--home', '--vms', '--kubeconfig', '--context', '--namespace', '--helper-image'],
      '--helper-pull-secret',
      ...['--azure-json', '--subscription', '--resource-group', '--tenant', '--cloud', '--azure-endpoint', '--login'],
      ...['--gallery', '--cluster', '--over-ssh'],
    ],
    followsOptions: true,
    leavesOut(option, { command, own }, given) {
      const entersNodes = /^prototype (?:run|plan|recover|uninstall)$/.test(command);
      switch (option) {
        case '--pool': // The pool follows from the node, unless there is no cluster.
          return own.has('--node') && !given.has('--no-cluster');
        case '--helper-image':
        case '--helper-pull-secret':
          return !entersNodes;
        case '--over-ssh': {
          // A host is valid for one machine only; without a value --over-ssh is valid for all.
          const isValid = given.get(option) === true || !own.has('--node') || own.get('--node') === given.get('--node');
          return !entersNodes || !isValid;
        }
        default:
          return false;
      }
    },
  },
];

const VALUE = String.raw`(?:'[^']*'|[\w@%+=:,./-]*[\w@%+=/-])`;
const OWN_OPTIONS = new RegExp(`^(?: (?:--no-cluster|--[a-z-]+ ${VALUE}))*`);
const COMMAND = /\bheadstart ([a-z]+ [a-z-]+)\b((?:(?!\bheadstart )[^;`\n])*)/g;

/** Adds the typed options, such as `--home`, to the commands in a hint. */
export function hintWithOptions(hint: string, typed: readonly string[]): string {
  const given = optionsIn(typed);
  return hint.replace(COMMAND, (whole, command: string, rest: string) => {
    const rule = HINT_RULES.find((one) => one.commands.test(command) && (one.typed ?? typed[0]) === typed[0]);
    if (!rule || / --help\b/.test(rest)) return whole;
    const own = rule.followsOptions ? OWN_OPTIONS.exec(rest)![0] : '';
    const hinted = { command, own: optionsIn(own.split(' ')) };
    const isInHint = (option: string) => new RegExp(`${option}(?![\\w-])`).test(rule.followsOptions ? own : rest);
    const kept = rule.options.filter(
      (option) => given.has(option) && !isInHint(option) && !rule.leavesOut?.(option, hinted, given),
    );
    const words = kept.flatMap((option) => {
      const value = given.get(option)!;
      return value === true ? [option] : [option, shellWord(value)];
    });
    return [`headstart ${command}${own}`, ...words].join(' ') + rest.slice(own.length);
  });
}

const KNOWN = new Set(['--node', ...HINT_RULES.flatMap(({ options }) => options)]);

/** The last typed value of each known option. */
function optionsIn(words: readonly string[]): TypedOptions {
  const given = new Map<string, string | true>();
  for (const [i, word] of words.entries()) {
    if (word === '--') break;
    const [, option, value] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(word.replace(/^-n(?=(.?))/s, namespaceOption)) ?? [];
    if (option === undefined || !KNOWN.has(option)) continue;
    const typed = value ?? typedValue(option, words[i + 1]);
    if (typed !== undefined) given.set(option, typed);
  }
  return given;
}

function namespaceOption(_: string, following: string): string {
  return following === '' ? '--namespace' : '--namespace=';
}

function typedValue(option: string, next: string | undefined): string | true | undefined {
  if (option === '--no-cluster') return true;
  if (option === '--over-ssh' && (next === undefined || next.startsWith('-'))) return true;
  return next;
}

/** The deps for one command line: adds `typed`, and adds the typed options to every `next:` line on stderr. */
export function depsFor(typed: readonly string[], deps: CliDeps): CliDeps {
  const stderr = (text: string) => deps.stderr(/^next:/m.test(text) ? hintWithOptions(text, typed) : text);
  return { ...deps, stderr, typed };
}

export function errorWithOptions(error: unknown, typed: readonly string[]): unknown {
  const canHint = error instanceof UserError || error instanceof TransientError;
  if (!canHint || error.next === undefined) return error;
  const next = hintWithOptions(error.next, typed);
  return next === error.next ? error : Object.assign(error, { next });
}
