// node/desired/aspects/files.ts: which files does the document write by path, because no field covers them?
import { Secret } from '../../../base/secret.ts';
import { pathProblem } from '../allowed-paths.ts';
import { DROP_IN_FOLDER } from '../kubelet-config.ts';
import type { Treatment } from '../tree.ts';
import { type AspectFunction, CONTAINERD, invalidField } from './aspect.ts';

export const filesAspect: AspectFunction = (config) => {
  const entries = Object.entries(config.files).map(([path, file]) => ({
    path,
    file,
    // The schema checks this too. Check again, so that nothing outside the allowed folders is written even if that check is bypassed.
    problem: pathProblem(path) ?? (isKubeletConfig(path) ? 'must be set in spec.kubelet.config' : undefined),
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

/** Only the kubelet aspect writes these, so that the merged configuration is known before kubelet reads it. */
function isKubeletConfig(path: string): boolean {
  return path.startsWith(`${DROP_IN_FOLDER}/`) || path.startsWith('/etc/kubernetes/kubelet/');
}

/** Most files are read on use and need no restart. */
function treatmentOf(path: string): Treatment {
  if (path.startsWith('/etc/containerd/') && !path.startsWith('/etc/containerd/certs.d/')) {
    return { aspect: 'files', class: 3, after: [{ do: 'restart', unit: CONTAINERD }] };
  }
  // kubelet watches the folder and restarts a static pod when its file changes.
  if (path.startsWith('/etc/kubernetes/manifests/')) return { aspect: 'files', class: 1, after: [] };
  return { aspect: 'files', class: 0, after: [] };
}
