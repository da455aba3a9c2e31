// image/manifest/rules/files.ts: do this Kubernetes and this containerd understand the files of the manifest?
import { DROP_IN_FOLDER } from '../../../node/desired/kubelet-config.ts';
import { satisfies } from '../constraints.ts';
import type { FileComponent } from '../manifest.ts';
import { type CompatibilityRule, minorOf, type RuleViolation } from './rule.ts';

/** For each flag, the first minor whose kubelet refuses to start with it. */
const REMOVED_FLAGS: Readonly<Record<string, { minor: number; isSure: boolean }>> = {
  'network-plugin': { minor: 24, isSure: true },
  'cni-bin-dir': { minor: 24, isSure: true },
  'cni-conf-dir': { minor: 24, isSure: true },
  'cni-cache-dir': { minor: 24, isSure: true },
  'network-plugin-mtu': { minor: 24, isSure: true },
  'dynamic-config-dir': { minor: 24, isSure: true },
  'container-runtime': { minor: 27, isSure: true },
  'keep-terminated-pod-volumes': { minor: 31, isSure: false },
  'cloud-config': { minor: 34, isSure: false },
  'pod-infra-container-image': { minor: 35, isSure: true },
};

export const removedFlags: CompatibilityRule = {
  id: 'kubelet/removed-flags',
  says: 'no file passes kubelet a flag that its minor has removed: kubelet would not start',
  source:
    'CHANGELOG-1.24, -1.27 and -1.35 of kubernetes/kubernetes (pull 133779); keep-terminated-pod-volumes and cloud-config as node provisioners that follow Kubernetes drop them',
  check: ({ kubernetes, files }) =>
    files.filter(isAboutKubelet).flatMap(({ name, content }) =>
      [...new Set([...content.matchAll(/(?<![\w-])--([a-z][a-z0-9-]*)/g)].map(([, flag]) => flag!))].flatMap(
        (flag): RuleViolation[] => {
          const removed = Object.hasOwn(REMOVED_FLAGS, flag) ? REMOVED_FLAGS[flag] : undefined;
          if (!removed || minorOf(kubernetes) < removed.minor) return [];
          const message = `kubelet 1.${removed.minor} removed --${flag}`;
          return [{ severity: removed.isSure ? 'error' : 'warning', component: name, message }];
        },
      ),
    ),
};

export const dropInFolder: CompatibilityRule = {
  id: 'kubelet/config-dir',
  says: 'kubelet has --config-dir since 1.28, behind a switch before 1.30; it reads only files that end in .conf',
  source: 'https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/',
  check: ({ kubernetes, files }) =>
    files.flatMap(({ name, content, install }): RuleViolation[] => {
      const minor = minorOf(kubernetes);
      const hasFlag = isAboutKubelet({ name, content, install }) && /(?<![\w-])--config-dir\b/.test(content);
      const isIgnored = install.to.startsWith(`${DROP_IN_FOLDER}/`) && !install.to.endsWith('.conf');
      return [
        ...(hasFlag && minor < 30
          ? [
              {
                severity: minor < 28 ? ('error' as const) : ('warning' as const),
                component: name,
                message: `kubelet 1.${minor} ${minor < 28 ? 'has no --config-dir' : 'takes --config-dir only with KUBELET_CONFIG_DROPIN_DIR_ALPHA set'}`,
              },
            ]
          : []),
        ...(isIgnored
          ? [
              {
                severity: 'warning' as const,
                component: name,
                message: `kubelet does not read ${install.to}: it does not end in .conf`,
              },
            ]
          : []),
      ];
    }),
};

const KUBELET_API = 'kubelet.config.k8s.io/v1beta1';

export const configVersions: CompatibilityRule = {
  id: 'config/api-versions',
  says: `a KubeletConfiguration has apiVersion ${KUBELET_API}; containerd 1.x reads configuration version 2, containerd 2.x reads version 3 and converts version 2`,
  source:
    'https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/; https://github.com/containerd/containerd/blob/main/docs/cri/config.md',
  check({ files, versions }) {
    const containerd = versions.get('containerd');
    return files.flatMap(({ name, content, install }): RuleViolation[] => {
      if (/^\s*"?kind"?\s*:\s*"?KubeletConfiguration"?/m.test(content)) {
        const api = /^\s*"?apiVersion"?\s*:\s*"?([^"\s,]+)"?/m.exec(content)?.[1];
        if (api === KUBELET_API) return [];
        return [
          {
            severity: 'error',
            component: name,
            message: `a KubeletConfiguration needs apiVersion ${KUBELET_API}, got ${api ?? 'none'}`,
          },
        ];
      }
      if (!/^\/etc\/containerd\/.*\.toml$/.test(install.to) || install.to.includes('/certs.d/') || !containerd)
        return [];
      const version = Number(/^\s*version\s*=\s*(\d+)\s*(?:#.*)?$/m.exec(content)?.[1] ?? 1);
      const isTwo = satisfies(containerd, { bounds: [{ operator: '>=', version: '2.0' }] });
      const isRight = version === 2 || (version === 3 && isTwo);
      const message = `containerd ${containerd.version} does not read configuration version ${version}`;
      return isRight ? [] : [{ severity: 'error', component: name, message }];
    });
  },
};

/** Debian before 11 boots with cgroup v1. */
const V1_SUITES = ['jessie', 'stretch', 'buster'];
const V1_SETTINGS =
  /systemd\.unified_cgroup_hierarchy=(?:0|false|no)\b|systemd\.legacy_systemd_cgroup_controller=(?:1|true|yes)\b/;

export const cgroupV2: CompatibilityRule = {
  id: 'kubelet/cgroup-v2',
  says: 'the image boots with cgroup v2: kubelet 1.35 and newer refuse to start on v1',
  source:
    'https://kubernetes.io/docs/concepts/architecture/cgroups/; KEP-5573 (kubernetes/kubernetes pull 134298); Debian 11 and newer have v2',
  check({ kubernetes, base, files }) {
    const severity = minorOf(kubernetes) >= 35 ? 'error' : 'warning';
    const suite = base.replace(/^debian:/, '');
    return [
      ...(V1_SUITES.includes(suite)
        ? [{ severity, component: 'base', message: `${suite} boots with cgroup v1` } as const]
        : []),
      ...files
        .filter(({ content }) => V1_SETTINGS.test(content))
        .map(({ name }) => ({ severity, component: name, message: 'makes the system boot with cgroup v1' }) as const),
    ];
  },
};

function isAboutKubelet({ name, content, install }: Pick<FileComponent, 'name' | 'content' | 'install'>): boolean {
  return /kubelet/i.test(`${name} ${install.to} ${content}`);
}
