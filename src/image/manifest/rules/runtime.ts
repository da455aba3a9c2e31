// image/manifest/rules/runtime.ts: does the container runtime go with Kubernetes, and with what it runs containers by?
import { type ComponentVersion, satisfies, upstreamOf } from '../constraints.ts';
import { type CompatibilityRule, minorOf, type RuleViolation } from './rule.ts';

const isAtLeast = (seen: ComponentVersion, version: string) =>
  satisfies(seen, { bounds: [{ operator: '>=', version }] });
const shown = ({ kind, version }: ComponentVersion) =>
  kind === 'deb' ? upstreamOf(version) : version.replace(/^v/, '');

/** The first kubelet that takes the cgroup driver from the runtime and from nowhere else. */
const NO_FALLBACK = 38;

export const containerdCri: CompatibilityRule = {
  id: 'containerd/cri',
  says: 'kubelet from 1.26 on needs CRI v1, which containerd has from 1.6 on; from 1.38 on it takes the cgroup driver only from the runtime, which tells it from 2.0 on, and from 1.34 on warns of that',
  source:
    'https://kubernetes.io/blog/2022/11/18/upcoming-changes-in-kubernetes-1-26/; KEP-4033 as of May 2026 (kubernetes/enhancements pull 6087)',
  check({ kubernetes, versions }): RuleViolation[] {
    const containerd = versions.get('containerd');
    if (!containerd) return [];
    const minor = minorOf(kubernetes);
    const needed = minor >= NO_FALLBACK ? '2.0' : minor >= 26 ? '1.6' : undefined;
    if (needed !== undefined && !isAtLeast(containerd, needed)) {
      const message = `containerd ${shown(containerd)} does not go with Kubernetes ${kubernetes}, which needs ${needed} or newer`;
      return [{ severity: 'error', component: 'containerd', message }];
    }
    if (minor < 34 || isAtLeast(containerd, '2.0')) return [];
    const message = `containerd ${shown(containerd)} does not tell kubelet its cgroup driver, and 1.${NO_FALLBACK} will not start without; 2.0 does`;
    return [{ severity: 'warning', component: 'containerd', message }];
  },
};

/** By Kubernetes minor: the oldest patch of each containerd minor that its makers recommend. */
const RECOMMENDED: readonly [minor: number, oldest: readonly string[]][] = [
  [29, ['1.6.27', '1.7.11']],
  [30, ['1.6.28', '1.7.13', '2.0.0', '2.1.0']],
  [31, ['1.6.34', '1.7.20', '2.0.0', '2.1.0']],
  [32, ['1.6.36', '1.7.24', '2.0.1', '2.1.0']],
  [33, ['1.6.36', '1.7.24', '2.0.4', '2.1.0']],
];

export const containerdRecommended: CompatibilityRule = {
  id: 'containerd/recommended',
  says: 'containerd is one that its makers recommend for the minor of Kubernetes; for minors newer than their table, for the newest one in it',
  source: 'https://github.com/containerd/containerd/blob/main/RELEASES.md (Kubernetes support)',
  check({ kubernetes, versions }) {
    const containerd = versions.get('containerd');
    const oldest = RECOMMENDED.findLast(([minor]) => minor <= minorOf(kubernetes))?.[1];
    if (!containerd || !oldest || isRecommended(shown(containerd), oldest)) return [];
    const message = `containerd ${shown(containerd)} is older than what its makers recommend: ${oldest.join(', ')}`;
    return [{ severity: 'warning', component: 'containerd', message }];
  },
};

function isRecommended(version: string, oldest: readonly string[]): boolean {
  const own = oldest.find((each) => sameMinor(each, version));
  // A minor that is not in the table: newer than all of it is fine, older is not.
  return isAtLeast({ kind: 'binary', version }, own ?? oldest.at(-1)!);
}

const sameMinor = (a: string, b: string) => a.split('.').slice(0, 2).join('.') === b.split('.').slice(0, 2).join('.');

/** By containerd's minor: what its own tests run with. */
const RUNC: readonly [containerd: string, runc: string][] = [
  ['1.6', '1.1.0'],
  ['1.7', '1.1.4'],
  ['2.0', '1.2.0'],
  ['2.1', '1.3.0'],
];

export const runcWithContainerd: CompatibilityRule = {
  id: 'containerd/runc',
  says: 'runc is not older than the minor that this containerd is tested with',
  source: 'script/setup/runc-version in containerd/containerd, by release branch',
  check({ versions }) {
    const [containerd, runc] = [versions.get('containerd'), versions.get('runc')];
    const wanted = containerd && RUNC.findLast(([minor]) => isAtLeast(containerd, minor))?.[1];
    if (!containerd || !runc || !wanted || isAtLeast(runc, wanted)) return [];
    const message = `runc ${shown(runc)} is older than ${wanted}, with which containerd ${shown(containerd)} is tested`;
    return [{ severity: 'warning', component: 'runc', message }];
  },
};

export const cniPlugins: CompatibilityRule = {
  id: 'containerd/cni-plugins',
  says: 'CNI plugins are 1.0.0 or newer: containerd from 1.6 on speaks version 1.0 of the specification',
  source:
    'https://kubernetes.io/docs/tasks/administer-cluster/migrating-from-dockershim/troubleshooting-cni-plugin-related-errors/',
  check({ versions }): RuleViolation[] {
    const component = ['cni-plugins', 'containernetworking-plugins'].find((name) => versions.has(name));
    const plugins = component === undefined ? undefined : versions.get(component);
    if (component === undefined || !plugins || isAtLeast(plugins, '1.0.0')) return [];
    return [{ severity: 'error', component, message: `CNI plugins ${shown(plugins)} are older than 1.0.0` }];
  },
};
