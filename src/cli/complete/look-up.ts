// cli/complete/look-up.ts: which values of a kind exist now? Reads only this machine, within a deadline, and writes nothing.
import { homeFolder } from '../pool/home.ts';
import type { CliDeps } from '../verb.ts';
import type { CompletionCandidate } from './command-syntax.ts';
import type { TypedCommand } from './decide.ts';
import { FIXED_VALUES } from './fixed-values.ts';
import type { NamedKind } from './value-kinds.ts';

export type LookUpDeps = Pick<CliDeps, 'env' | 'nowUs'>;

/** Users do not wait longer after a key press. */
const DEADLINE_MS = 2000;

/** Returns nothing on a failure: a shell has no place to show an error. */
export async function lookUp(
  kind: NamedKind,
  given: TypedCommand,
  text: string,
  deps: LookUpDeps,
): Promise<readonly CompletionCandidate[]> {
  try {
    if (isFixed(kind)) return await FIXED_VALUES[kind]();
    return await dynamic(kind, given, text, deps);
  } catch {
    return [];
  }
}

function isFixed(kind: NamedKind): kind is keyof typeof FIXED_VALUES {
  return Object.hasOwn(FIXED_VALUES, kind);
}

async function dynamic(
  kind: Exclude<NamedKind, keyof typeof FIXED_VALUES>,
  given: TypedCommand,
  text: string,
  { env, nowUs }: LookUpDeps,
): Promise<readonly CompletionCandidate[]> {
  const option = (name: string) => given.options.get(name)?.at(-1);
  switch (kind) {
    case 'units':
    case 'targets':
    case 'unit-times':
    case 'unit-pairs':
    case 'orderings':
    case 'boots': {
      const { bootValues } = await import('./boot-values.ts');
      return bootValues(kind, given, text, {
        nowUs: nowUs(),
        userHome: env.HOME,
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
    }
    case 'live-boots':
      return (await import('./boot-values.ts')).LIVE_BOOTS;
    case 'contexts': {
      const { contexts, kubeconfigFiles } = await import('./contexts.ts');
      return contexts(kubeconfigFiles(expanded(option('--kubeconfig'), env), env));
    }
  }
  const named = expanded(option('--home'), env);
  const home = homeFolder(named === undefined ? {} : { home: named }, env);
  const isLocal = (option('--vms') ?? env.HEADSTART_VMS) === 'qemu';
  const local = await import('./local-values.ts');
  switch (kind) {
    case 'pools':
      return local.pools(home);
    case 'instances':
      return local.instances(home, given.path === 'pool set' ? given.args[0] : undefined);
    case 'clusters':
      return local.clusters(home);
    case 'images':
      return local.images(home);
    // Azure is not queried: a key press must not wait for a login.
    case 'pools-of-vms':
      return isLocal ? local.pools(home) : [];
    // Without --vms, standby nodes are those of this machine.
    case 'standby-pools':
      return isLocal || !(option('--vms') || env.HEADSTART_VMS) ? local.pools(home) : [];
    case 'instances-of-vms':
      return isLocal ? local.instances(home, option('--pool')) : [];
    case 'galleries':
      return isLocal ? local.galleries(home) : [];
    case 'published-versions':
      return isLocal ? local.publishedVersions(home, option('--gallery')) : [];
    case 'rollback-versions':
    case 'uninstall-versions': {
      const [pool, gallery] = [option('--pool'), option('--gallery')];
      const wanted = { ...(pool !== undefined && { pool }), ...(gallery !== undefined && { gallery }) };
      const versions = isLocal ? orNone(() => local.prototypeVersions(home, wanted)) : [];
      return [...versions, ...(kind === 'rollback-versions' ? ROLLBACK_TARGETS.slice(0, 1) : ROLLBACK_TARGETS)];
    }
  }
}

const ROLLBACK_TARGETS: readonly CompletionCandidate[] = [
  { value: 'original', summary: 'the model before the first run' },
  { value: 'keep', summary: 'the current model' },
];

/** The fixed words are offered even if the home folder cannot be read. */
function orNone(find: () => CompletionCandidate[]): CompletionCandidate[] {
  try {
    return find();
  } catch {
    return [];
  }
}

function expanded(path: string | undefined, { HOME }: CliDeps['env']): string | undefined {
  return HOME === undefined ? path : path?.replace(/^~(?=\/|$)/, HOME);
}
