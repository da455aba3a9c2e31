// cli/compose/look-at-kubeconfig.ts: which cluster would the verbs reach with the kubeconfig, and can they log in? Calls no server.
import { existsSync, statSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import type { KubeconfigOptions } from '../../cluster/kubernetes/open-kubeconfig.ts';
import type { Presence } from '../../host/doctor/machine-facts.ts';
import { isOnPath } from '../../host/required-tools.ts';
import { kubeconfigFiles } from '../complete/contexts.ts';
import type { CliDeps } from '../verb.ts';

/** The detail has no secret: of the server only its address, of the login only the program. */
export async function lookAtKubeconfig(options: KubeconfigOptions, { env }: Pick<CliDeps, 'env'>): Promise<Presence> {
  // Not in one Promise.all: then the bundle would contain the whole library, twice as much.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const { openKubeconfig } = await import('../../cluster/kubernetes/open-kubeconfig.ts');
  const pipe = kubeconfigFiles(options.kubeconfig, env).find(isNoFile);
  if (pipe !== undefined)
    return {
      isThere: false,
      detail: `${pipe} is not a regular file, so it was not read`,
      fix: 'name a file with --kubeconfig',
    };
  try {
    const config = openKubeconfig(KubeConfig, options);
    const [context, cluster, user] = [config.getCurrentContext(), config.getCurrentCluster(), config.getCurrentUser()];
    const login = user?.exec?.command as string | undefined;
    if (login !== undefined && !isProgram(login, env.PATH))
      return {
        isThere: false,
        detail: `context ${context} logs in with the program ${login}, which is not on PATH`,
        fix: `install ${login}, or name another context with --context`,
      };
    const gone = [cluster?.caFile, user?.certFile, user?.keyFile].find((file) => file && !existsSync(file));
    if (gone !== undefined)
      return {
        isThere: false,
        detail: `context ${context} names ${gone}, which does not exist`,
        fix: 'restore the file, or name another context with --context',
      };
    return {
      isThere: true,
      detail: `context ${context}, server ${new URL(cluster!.server).origin}; not called${login === undefined ? '' : `; logs in with ${login}`}`,
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return {
      isThere: false,
      detail: error.message,
      fix: 'name the cluster with --kubeconfig or KUBECONFIG; a cluster on this machine: headstart cluster up',
    };
  }
}

/** A pipe without a writer would block the doctor. */
function isNoFile(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile();
}

function isProgram(command: string, path: string | undefined): boolean {
  return command.includes('/') ? existsSync(command) : isOnPath(command, path);
}
