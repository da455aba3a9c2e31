// cli/prototype/same-world.ts: how is another prototype verb called so that it asks the same pools and the same cluster? A hint that drops
// `--no-cluster` or `--context` leads to another cluster, or to an error.
import { TransientError, UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Verb } from '../verb.ts';
import { DEFAULT_AZURE_JSON } from './azure-options.ts';
import type { ConnectOptions } from './connect-options.ts';

/** `--pool` and `--to` of the new command, in the order they are shown. */
export type Flags = Readonly<Record<`--${string}`, string | true>>;

/** As `withConnectOptions` has it. */
const DEFAULT_NAMESPACE = 'kube-system';

/** Verbs that run scripts on nodes; the others do not take the options that say how. */
const NODE_ACCESS: ReadonlySet<string> = new Set(['run', 'plan', 'recover', 'uninstall']);

export function prototypeCommand(verb: string, flags: Flags, options: ConnectOptions): string {
  const words = Object.entries({ ...flags, ...worldFlags(verb, flags, options), ...flags }).flatMap(([flag, value]) =>
    value === true ? [flag] : [flag, value],
  );
  return ['headstart', 'prototype', verb, ...words].map(shellWord).join(' ');
}

/** What the user gave to name VMs, pool and cluster; defaults and the environment hold for the next command, too. */
function worldFlags(verb: string, flags: Flags, options: ConnectOptions): Flags {
  const { cluster, pool, node, overSsh } = options;
  // A host leads to one machine; without a value --over-ssh leads to any.
  const leadsThere = overSsh === true || !('--node' in flags) || flags['--node'] === node;
  const entersNodes = NODE_ACCESS.has(verb);
  const named: [`--${string}`, string | true | undefined][] = [
    // A node tells its pool, except where there is no cluster to ask.
    ['--pool', '--node' in flags && cluster !== false ? undefined : pool],
    ['--home', options.home],
    ['--vms', options.vms],
    ['--kubeconfig', options.kubeconfig],
    ['--context', options.context],
    ['--namespace', options.namespace === DEFAULT_NAMESPACE ? undefined : options.namespace],
    ['--helper-image', entersNodes ? options.helperImage : undefined],
    ['--azure-json', options.azureJson === DEFAULT_AZURE_JSON ? undefined : options.azureJson],
    ['--subscription', options.subscription],
    ['--resource-group', options.resourceGroup],
    ['--tenant', options.tenant],
    ['--cloud', options.cloud],
    ['--azure-endpoint', options.azureEndpoint],
    ['--login', options.login],
    ['--cluster', cluster === false ? undefined : cluster],
    ['--over-ssh', entersNodes && leadsThere ? overSsh : undefined],
  ];
  return {
    ...(cluster === false && { '--no-cluster': true as const }),
    ...Object.fromEntries(named.filter((pair): pair is [`--${string}`, string | true] => pair[1] !== undefined)),
  };
}

const VALUE = String.raw`(?:'[^']*'|[\w@%+=:,./-]*[\w@%+=/-])`;
const FLAG = `--no-cluster|--[a-z-]+ ${VALUE}`;
const COMMAND = new RegExp(`headstart prototype ([a-z]+)((?: (?:${FLAG}))*)`, 'g');
/** Pools of this machine are found by their folder alone. */
const POOL_COMMAND = new RegExp(`headstart pool [a-z]+ ${VALUE}(?! --home)`, 'g');

/** Every `headstart prototype VERB --flag VALUE …` in a hint of the domain, with the flags that lead to the same world. */
export function inSameWorld(text: string, options: ConnectOptions): string {
  const home = options.home === undefined ? '' : ` --home ${shellWord(options.home)}`;
  return text
    .replace(COMMAND, (_, verb: string, rest: string) => {
      const flags = [...rest.matchAll(new RegExp(FLAG, 'g'))].map(([flag]) => {
        const at = flag.indexOf(' ');
        return at < 0 ? [flag, true] : [flag.slice(0, at), flag.slice(at + 1).replace(/^'(.*)'$/s, '$1')];
      });
      return prototypeCommand(verb, Object.fromEntries(flags) as Flags, options);
    })
    .replace(POOL_COMMAND, (command) => `${command}${home}`);
}

/** The verb, with hints that lead to the world it was asked about. */
export function hintingAtSameWorld(verb: Verb): Verb {
  return {
    ...verb,
    async run(args, options: ConnectOptions, edges) {
      try {
        return await verb.run(args, options, edges);
      } catch (error) {
        if ((error instanceof UserError || error instanceof TransientError) && error.next !== undefined)
          Object.assign(error, { next: inSameWorld(error.next, options) });
        throw error;
      }
    },
  };
}
