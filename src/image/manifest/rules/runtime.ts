// image/manifest/rules/runtime.ts: is the container runtime compatible with Kubernetes, runc and the CNI plugins?
import { type ComponentVersion, satisfies, upstreamOf } from '../constraints.ts';
import { type CompatibilityRule, minorOf, type RuleViolation } from './rule.ts';

const isAtLeast = (seen: ComponentVersion, version: string) =>
  satisfies(seen, { bounds: [{ operator: '>=', version }] });
const shown = ({ kind, version }: ComponentVersion) =>
  kind === 'deb' ? upstreamOf(version) : version.replace(/^v/, '');

/** The first kubelet minor that gets the cgroup driver only from the runtime. */
const NO_FALLBACK = 38;

export const containerdCri: CompatibilityRule = {
  id: 'containerd/cri',
  says: 'kubelet 1.26 and newer require CRI v1, which containerd has since 1.6; kubelet 1.38 and newer get the cgroup driver only from the runtime, which containerd reports since 2.0; kubelet warns since 1.34',
  source:
    'https://kubernetes.io/blog/2022/11/18/upcoming-changes-in-kubernetes-1-26/; KEP-4033 as of May 2026 (kubernetes/enhancements pull 6087)',
  check({ kubernetes, versions }): RuleViolation[] {
    const containerd = versions.get('containerd');
    if (!containerd) return [];
    const minor = minorOf(kubernetes);
    const needed = minor >= NO_FALLBACK ? '2.0' : minor >= 26 ? '1.6' : undefined;
    if (needed !== undefined && !isAtLeast(containerd, needed)) {
      const message = `containerd ${shown(containerd)} is too old for Kubernetes ${kubernetes}, which requires ${needed} or newer`;
      return [{ severity: 'error', component: 'containerd', message }];
    }
    if (minor < 34 || isAtLeast(containerd, '2.0')) return [];
    const message = `containerd ${shown(containerd)} does not report its cgroup driver, and kubelet 1.${NO_FALLBACK} will not start without it; containerd 2.0 reports it`;
    return [{ severity: 'warning', component: 'containerd', message }];
  },
};

/** By Kubernetes minor: the oldest patch of each containerd minor that the containerd project recommends. */
const RECOMMENDED: readonly [minor: number, oldest: readonly string[]][] = [
  [29, ['1.6.27', '1.7.11']],
  [30, ['1.6.28', '1.7.13', '2.0.0', '2.1.0']],
  [31, ['1.6.34', '1.7.20', '2.0.0', '2.1.0']],
  [32, ['1.6.36', '1.7.24', '2.0.1', '2.1.0']],
  [33, ['1.6.36', '1.7.24', '2.0.4', '2.1.0']],
];

export const containerdRecommended: CompatibilityRule = {
  id: 'containerd/recommended',
  says: 'containerd is a version that its project recommends for this Kubernetes minor, or for the newest minor in its table',
  source: 'https://github.com/containerd/containerd/blob/main/RELEASES.md (Kubernetes support)',
  check({ kubernetes, versions }) {
    const containerd = versions.get('containerd');
    const oldest = RECOMMENDED.findLast(([minor]) => minor <= minorOf(kubernetes))?.[1];
    if (!containerd || !oldest || isRecommended(shown(containerd), oldest)) return [];
    const message = `containerd ${shown(containerd)} is older than the versions its project recommends: ${oldest.join(', ')}`;
    return [{ severity: 'warning', component: 'containerd', message }];
  },
};

function isRecommended(version: string, oldest: readonly string[]): boolean {
  const own = oldest.find((each) => sameMinor(each, version));
  // For a containerd minor that is not in the table: newer than all entries is fine, older is not.
  return isAtLeast({ kind: 'binary', version }, own ?? oldest.at(-1)!);
}

const sameMinor = (a: string, b: string) => a.split('.').slice(0, 2).join('.') === b.split('.').slice(0, 2).join('.');

/** By containerd minor: the runc version that containerd's tests use. */
const RUNC: readonly [containerd: string, runc: string][] = [
  ['1.6', '1.1.0'],
  ['1.7', '1.1.4'],
  ['2.0', '1.2.0'],
  ['2.1', '1.3.0'],
];

export const runcWithContainerd: CompatibilityRule = {
  id: 'containerd/runc',
  says: 'runc is at least as new as the one that this containerd is tested with',
  source: 'script/setup/runc-version in containerd/containerd, by release branch',
  check({ versions }) {
    const [containerd, runc] = [versions.get('containerd'), versions.get('runc')];
    const wanted = containerd && RUNC.findLast(([minor]) => isAtLeast(containerd, minor))?.[1];
    if (!containerd || !runc || !wanted || isAtLeast(runc, wanted)) return [];
    const message = `runc ${shown(runc)} is older than ${wanted}, which containerd ${shown(containerd)} is tested with`;
    return [{ severity: 'warning', component: 'runc', message }];
  },
};

export const cniPlugins: CompatibilityRule = {
  id: 'containerd/cni-plugins',
  says: 'CNI plugins are 1.0.0 or newer: containerd 1.6 and newer use version 1.0 of the CNI specification',
  source:
    'https://kubernetes.io/docs/tasks/administer-cluster/migrating-from-dockershim/troubleshooting-cni-plugin-related-errors/',
  check({ versions }): RuleViolation[] {
    const component = ['cni-plugins', 'containernetworking-plugins'].find((name) => versions.has(name));
    const plugins = component === undefined ? undefined : versions.get(component);
    if (component === undefined || !plugins || isAtLeast(plugins, '1.0.0')) return [];
    return [{ severity: 'error', component, message: `CNI plugins ${shown(plugins)} are older than 1.0.0` }];
  },
};
