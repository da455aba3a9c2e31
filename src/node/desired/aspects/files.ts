// node/desired/aspects/files.ts: what the document puts on the node by path, for which headstart has no field of its own.
import { Secret } from '../../../base/secret.ts';
import { pathProblem } from '../allowed-paths.ts';
import { DROP_IN_FOLDER } from '../kubelet-config.ts';
import type { Treatment } from '../tree.ts';
import { type AspectFunction, CONTAINERD, invalidField } from './aspect.ts';

export const filesAspect: AspectFunction = (config) => {
  const entries = Object.entries(config.files).map(([path, file]) => ({
    path,
    file,
    // The schema has said so already; but whatever way a document came, nothing outside the allowed folders is written.
    problem: pathProblem(path) ?? (isKubeletConfig(path) ? 'is for spec.kubelet.config' : undefined),
  }));
  return {
    files: entries.flatMap(({ path, file, problem }) => {
      if (problem !== undefined) return [];
      const isSecret = file.content instanceof Secret;
      return [{ ...file, mode: isSecret ? file.mode & 0o700 : file.mode, ...treatmentOf(path), path }];
    }),
    problems: entries.flatMap(({ path, problem }) =>
      problem === undefined ? [] : [invalidField(['files', path], problem)],
    ),
  };
};

/** Kept in one piece, so that the merged result is known before kubelet sees it. */
function isKubeletConfig(path: string): boolean {
  return path.startsWith(`${DROP_IN_FOLDER}/`) || path.startsWith('/etc/kubernetes/kubelet/');
}

/** Who reads it, and when? Most are read on use. */
function treatmentOf(path: string): Treatment {
  if (path.startsWith('/etc/containerd/') && !path.startsWith('/etc/containerd/certs.d/')) {
    return { aspect: 'files', class: 3, after: [{ do: 'restart', unit: CONTAINERD }] };
  }
  // kubelet watches the folder: a static pod changes with its file.
  if (path.startsWith('/etc/kubernetes/manifests/')) return { aspect: 'files', class: 1, after: [] };
  return { aspect: 'files', class: 0, after: [] };
}
