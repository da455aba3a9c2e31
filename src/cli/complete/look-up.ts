// cli/complete/look-up.ts: which values of a kind are there now? Reads this machine only, within a deadline, and writes nothing.
import { homeFolder } from '../pool/home.ts';
import type { CliDeps } from '../verb.ts';
import type { Given } from './decide.ts';
import { FEW_WORDS } from './few-words.ts';
import type { Candidate } from './place.ts';
import type { NamedKind } from './value-kinds.ts';

export type LookUpDeps = Pick<CliDeps, 'env' | 'nowUs'>;

/** Longer than a person waits for a key. */
const DEADLINE_MS = 2000;

/** Nothing on any failure: a shell has no place to show one. */
export async function lookUp(
  kind: NamedKind,
  given: Given,
  text: string,
  deps: LookUpDeps,
): Promise<readonly Candidate[]> {
  try {
    if (isFewWords(kind)) return await FEW_WORDS[kind]();
    return await dynamic(kind, given, text, deps);
  } catch {
    return [];
  }
}

function isFewWords(kind: NamedKind): kind is keyof typeof FEW_WORDS {
  return Object.hasOwn(FEW_WORDS, kind);
}

async function dynamic(
  kind: Exclude<NamedKind, keyof typeof FEW_WORDS>,
  given: Given,
  text: string,
  { env, nowUs }: LookUpDeps,
): Promise<readonly Candidate[]> {
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
    // Of Azure nothing is asked: a key press must not wait for a login.
    case 'pools-of-vms':
      return isLocal ? local.pools(home) : [];
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
      return [...versions, ...(kind === 'rollback-versions' ? WAYS_BACK.slice(0, 1) : WAYS_BACK)];
    }
  }
}

const WAYS_BACK: readonly Candidate[] = [
  { value: 'original', summary: 'the recipe before the first run' },
  { value: 'keep', summary: 'what the pool starts from now' },
];

/** The fixed words are offered though the home folder cannot be read. */
function orNone(find: () => Candidate[]): Candidate[] {
  try {
    return find();
  } catch {
    return [];
  }
}

function expanded(path: string | undefined, { HOME }: CliDeps['env']): string | undefined {
  return HOME === undefined ? path : path?.replace(/^~(?=\/|$)/, HOME);
}
