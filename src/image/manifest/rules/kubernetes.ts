// image/manifest/rules/kubernetes.ts: do the versions of the Kubernetes programs match?
import { upstreamOf } from '../constraints.ts';
import { type CompatibilityRule, minorOf } from './rule.ts';

const SAME = ['kubelet', 'kubectl'];

export const samePatch: CompatibilityRule = {
  id: 'kubernetes/same-patch',
  says: 'kubelet and kubectl have the patch version that the image is for',
  source: 'https://kubernetes.io/releases/version-skew-policy/',
  check: ({ kubernetes, versions }) =>
    SAME.flatMap((component) => {
      const seen = versions.get(component);
      const version = seen?.kind === 'deb' ? upstreamOf(seen.version) : seen?.version.replace(/^v/, '');
      if (version === undefined || version === kubernetes) return [];
      return [{ severity: 'error', component, message: `${component} is ${version}, expected ${kubernetes}` }];
    }),
};

export const crictlMinor: CompatibilityRule = {
  id: 'kubernetes/crictl-minor',
  says: 'crictl has the same minor version as Kubernetes',
  source: 'https://github.com/kubernetes-sigs/cri-tools (compatibility matrix)',
  check({ kubernetes, versions }) {
    const crictl = versions.get('crictl') ?? versions.get('cri-tools');
    if (!crictl || minorOf(crictl.version) === minorOf(kubernetes)) return [];
    return [
      {
        severity: 'error',
        component: 'crictl',
        message: `crictl ${crictl.version} has another minor version than Kubernetes ${kubernetes}`,
      },
    ];
  },
};

/** The tag that kubeadm pulls, by the first minor that uses it. */
const PAUSE: readonly [minor: number, tag: string][] = [
  [26, '3.9'],
  [31, '3.10'],
  [34, '3.10.1'],
  [36, '3.10.2'],
];

export const pauseTag: CompatibilityRule = {
  id: 'kubernetes/pause-tag',
  says: 'the pause image is at least as new as the one that kubeadm of that minor uses',
  source: 'PauseVersion in cmd/kubeadm/app/constants of kubernetes/kubernetes, by release branch',
  check({ kubernetes, images }) {
    const wanted = PAUSE.findLast(([minor]) => minor <= minorOf(kubernetes))?.[1];
    return [...images].flatMap(([component, name]) => {
      const tag = /\/pause:v?(\d+(?:\.\d+)+)$/.exec(name)?.[1];
      if (tag === undefined || wanted === undefined || !isOlder(tag, wanted)) return [];
      return [{ severity: 'warning', component, message: `pause ${tag} is older than ${wanted}` }];
    });
  },
};

function isOlder(a: string, b: string): boolean {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  const at = right.findIndex((number, i) => number !== (left[i] ?? 0));
  return at >= 0 && (left[at] ?? 0) < right[at]!;
}
