// cluster/kubernetes/open-kubeconfig.ts: which cluster, user and context do the kubeconfig files name, by kubectl's rules? Calls no server.
import { existsSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { UserError } from '../../base/errors.ts';
import { didYouMean, fewNames } from '../../base/nearest-names.ts';

export interface KubeconfigOptions {
  /** A file; by default what kubectl uses: KUBECONFIG, then the home folder, then the pod's service account. */
  kubeconfig?: string | undefined;
  context?: string | undefined;
}

/** Passed in, because the library is large: only verbs that use it load it, and a bundle contains only what they name. */
type KubeConfigClass = typeof KubeConfig;

export function openKubeconfig(Config: KubeConfigClass, { kubeconfig, context }: KubeconfigOptions): KubeConfig {
  const config = read(Config, kubeconfig);
  if (context !== undefined) {
    if (!config.getContextObject(context)) {
      const names = config.getContexts().map(({ name }) => name);
      throw unusable(
        `there is no context "${context}" in the kubeconfig; known: ${fewNames(names)}${didYouMean(context, names)}`,
      );
    }
    config.setCurrentContext(context);
  }
  // Without a configuration the library assumes a server on this host.
  if (!config.getCurrentCluster() || config.getCurrentContext() === 'loaded-context') {
    throw unusable('no cluster is configured');
  }
  const problem = problemOf(config.getCurrentCluster()!.server);
  if (problem) throw unusable(`the server of context ${config.getCurrentContext()} ${problem}`);
  return config;
}

/** Does not quote the address: it may contain a password. */
function problemOf(server: string): string | undefined {
  const address = URL.parse(server);
  if (!/^https?:$/.test(address?.protocol ?? '')) return 'is not an address such as https://HOST:6443';
  if (address?.username || address?.password) return 'contains a user name or a password; use a user of the kubeconfig';
  return undefined;
}

/** As in kubectl, an empty name is no name. */
function read(Config: KubeConfigClass, named: string | undefined): KubeConfig {
  const list = process.env.KUBECONFIG;
  if (!named && list) return readList(Config, list.split(delimiter).filter(Boolean));
  const config = new Config();
  loading(named || 'the kubeconfig', () => (named ? config.loadFromFile(named) : config.loadFromDefault()));
  return config;
}

/**
 * As in kubectl, files that do not exist are skipped, and the first file that has a cluster, a user, a context or a current
 * context of a name wins. The library refuses names that two files have, and takes the current context of the last file.
 */
function readList(Config: KubeConfigClass, files: readonly string[]): KubeConfig {
  const merged = new Config();
  if (files.length === 0) throw unusable('KUBECONFIG names no file');
  const found = files.filter((file) => existsSync(file));
  if (found.length === 0)
    throw unusable(
      files.length === 1
        ? `${files[0]} does not exist (KUBECONFIG)`
        : `no file of KUBECONFIG exists: ${files.join(', ')}`,
    );
  merged.loadFromOptions({ clusters: [], users: [], contexts: [], currentContext: '' });
  for (const file of found) {
    const next = new Config();
    loading(file, () => {
      if (readFileSync(file, 'utf8').trim() !== '') next.loadFromFile(file);
    });
    merged.clusters = withNew(merged.clusters, next.clusters);
    merged.users = withNew(merged.users, next.users);
    merged.contexts = withNew(merged.contexts, next.contexts);
    merged.currentContext ||= next.currentContext;
  }
  return merged;
}

function withNew<T extends { name: string }>(known: readonly T[], more: readonly T[]): T[] {
  return [...known, ...more.filter(({ name }) => !known.some((one) => one.name === name))];
}

function loading(what: string, load: () => void): void {
  try {
    load();
  } catch (error) {
    // Do not show the parser's message: it quotes the input, and a kubeconfig contains credentials.
    const code = error instanceof Error && 'code' in error ? `cannot be read (${error.code})` : 'is not a kubeconfig';
    throw unusable(`${what} ${code}`);
  }
}

function unusable(message: string): UserError {
  return new UserError(message, {
    code: 'cluster/no-kubeconfig',
    kept: 'Nothing was touched.',
    next: 'name the cluster with --kubeconfig and --context',
  });
}
