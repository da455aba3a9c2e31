// node/document/semantics.ts: do the fields of a valid v1 document contradict each other?

import { instantMs } from '../../schema/formats.ts';
import { parseExpression } from './expression.ts';
import type { Problem, Warning } from './problem.ts';
import type { NodeConfigV1 } from './schema/v1.ts';

type SemanticRule = readonly [isWrong: boolean, path: string, message: string];

export function contradictions({ metadata, spec }: NodeConfigV1): Problem[] {
  const { cluster, join, kubelet, network, containerd } = spec;
  const ways = Object.values(join ?? {}).filter((way) => way !== undefined).length;
  const high = kubelet.imageGcHighPercent;
  const low = kubelet.imageGcLowPercent;
  const runtime = containerd.defaultRuntime;
  const found: SemanticRule[] = [
    [join !== undefined && ways !== 1, 'spec.join', `expected exactly one method, got ${ways}`],
    [cluster !== undefined && join === undefined, 'spec.join', 'is required if spec.cluster is set'],
    [cluster === undefined && join !== undefined, 'spec.cluster', 'is required if spec.join is set'],
    [
      network.nodeIp === 'fixed' && network.nodeAddresses.length === 0,
      'spec.network.nodeAddresses',
      'is required if nodeIp is fixed',
    ],
    [
      network.nodeIp !== 'fixed' && network.nodeAddresses.length > 0,
      'spec.network.nodeAddresses',
      'is only allowed if nodeIp is fixed',
    ],
    [
      high !== undefined && low !== undefined && low >= high,
      'spec.kubelet.imageGcLowPercent',
      `${low} must be below imageGcHighPercent, ${high}`,
    ],
    [
      runtime !== undefined && runtime !== 'runc' && !Object.hasOwn(containerd.runtimes, runtime),
      'spec.containerd.defaultRuntime',
      'is not in spec.containerd.runtimes',
    ],
    [usesPods(kubelet.maxPods), 'spec.kubelet.maxPods', 'must not use pods: pods is the value of maxPods itself'],
    [
      isOtherKind(kubelet.config),
      'spec.kubelet.config',
      'must be a KubeletConfiguration of kubelet.config.k8s.io/v1beta1',
    ],
    [isReversed(metadata), 'metadata.expires', 'must be later than notBefore'],
    ...duplicateTaints(spec.taints),
    ...wrongBase64(spec.files),
  ];
  return found.filter(([isWrong]) => isWrong).map(([, path, message]) => ({ reason: 'config/invalid', path, message }));
}

/** Allowed, but reported as a warning. */
export function discouraged({ spec }: NodeConfigV1): Warning[] {
  const { join, proxy, containerd } = spec;
  const found: SemanticRule[] = [
    [
      join?.token !== undefined,
      'spec.join.token',
      'is readable by anyone who can read the instance metadata; prefer exec or credential',
    ],
    [
      hasPassword(proxy?.http),
      'spec.proxy.http',
      'contains a password that anyone who can read the instance metadata can read',
    ],
    [
      hasPassword(proxy?.https),
      'spec.proxy.https',
      'contains a password that anyone who can read the instance metadata can read',
    ],
    [spec.metadataAccess.blockPods === false, 'spec.metadataAccess.blockPods', 'lets every pod read this document'],
    ...Object.entries(spec.files).map(
      ([path, file]): SemanticRule => [
        file.secret,
        `spec.files[${JSON.stringify(path)}]`,
        'is a secret that anyone who can read the instance metadata can read',
      ],
    ),
    ...Object.entries(containerd.registries).map(
      ([host, { mirrors }]): SemanticRule => [
        mirrors.some((mirror) => mirror.skipVerify),
        `spec.containerd.registries[${JSON.stringify(host)}]`,
        'pulls images from a mirror without verifying its certificate',
      ],
    ),
  ];
  return found.filter(([isWrong]) => isWrong).map(([, path, message]) => ({ path, message }));
}

function usesPods(maxPods: number | string | undefined): boolean {
  if (typeof maxPods !== 'string') return false;
  const parsed = parseExpression(maxPods, 'number');
  return 'variables' in parsed && parsed.variables.has('pods');
}

/** kind and apiVersion are optional; if present, they must be those of KubeletConfiguration. */
function isOtherKind({ kind, apiVersion }: NodeConfigV1['spec']['kubelet']['config']): boolean {
  const isOtherVersion = apiVersion !== undefined && apiVersion !== 'kubelet.config.k8s.io/v1beta1';
  return isOtherVersion || (kind !== undefined && kind !== 'KubeletConfiguration');
}

function isReversed({ notBefore, expires }: NodeConfigV1['metadata']): boolean {
  return notBefore !== undefined && expires !== undefined && instantMs(expires)! <= instantMs(notBefore)!;
}

function duplicateTaints(taints: NodeConfigV1['spec']['taints']): SemanticRule[] {
  const keys = taints.map(({ key, effect }) => `${key}:${effect}`);
  return keys.map((key, index) => [
    keys.indexOf(key) !== index,
    `spec.taints[${index}]`,
    'duplicates a taint with the same key and effect',
  ]);
}

function wrongBase64(files: NodeConfigV1['spec']['files']): SemanticRule[] {
  return Object.entries(files).map(([path, { content, encoding }]) => [
    encoding === 'base64' &&
      !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(content.replace(/\s+/g, '')),
    `spec.files[${JSON.stringify(path)}].content`,
    'is not base64',
  ]);
}

function hasPassword(url: string | undefined): boolean {
  return url !== undefined && new URL(url).password !== '';
}
