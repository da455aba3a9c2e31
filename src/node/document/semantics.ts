// node/document/semantics.ts: do the fields of a checked v1 document fit each other? What one field alone cannot tell.

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
    [join !== undefined && ways !== 1, 'spec.join', `names ${ways} ways, and exactly one belongs here`],
    [
      cluster !== undefined && join === undefined,
      'spec.join',
      'is missing: a node of a cluster needs a way to join it',
    ],
    [cluster === undefined && join !== undefined, 'spec.cluster', 'is missing: there is no cluster to join'],
    [
      network.nodeIp === 'fixed' && network.nodeAddresses.length === 0,
      'spec.network.nodeAddresses',
      'is empty, and nodeIp is fixed',
    ],
    [
      network.nodeIp !== 'fixed' && network.nodeAddresses.length > 0,
      'spec.network.nodeAddresses',
      'is only for nodeIp: fixed',
    ],
    [
      high !== undefined && low !== undefined && low >= high,
      'spec.kubelet.imageGcLowPercent',
      `${low} is not below imageGcHighPercent, ${high}`,
    ],
    [
      runtime !== undefined && runtime !== 'runc' && !Object.hasOwn(containerd.runtimes, runtime),
      'spec.containerd.defaultRuntime',
      'is not one of the runtimes',
    ],
    [asksForPods(kubelet.maxPods), 'spec.kubelet.maxPods', 'cannot ask for pods: that is what it says itself'],
    [
      isOtherKind(kubelet.config),
      'spec.kubelet.config',
      'is of another kind than KubeletConfiguration kubelet.config.k8s.io/v1beta1',
    ],
    [isReversed(metadata), 'metadata.expires', 'is not after notBefore'],
    ...duplicateTaints(spec.taints),
    ...wrongBase64(spec.files),
  ];
  return found.filter(([isWrong]) => isWrong).map(([, path, message]) => ({ reason: 'config/invalid', path, message }));
}

/** Allowed, and worth saying. */
export function discouraged({ spec }: NodeConfigV1): Warning[] {
  const { join, proxy, containerd } = spec;
  const found: SemanticRule[] = [
    [
      join?.token !== undefined,
      'spec.join.token',
      'is readable by whoever can read the metadata of the instance; prefer exec or credential',
    ],
    [
      hasPassword(proxy?.http),
      'spec.proxy.http',
      'has a password in it, readable by whoever can read the metadata of the instance',
    ],
    [
      hasPassword(proxy?.https),
      'spec.proxy.https',
      'has a password in it, readable by whoever can read the metadata of the instance',
    ],
    [spec.metadataAccess.blockPods === false, 'spec.metadataAccess.blockPods', 'lets every pod read this document'],
    ...Object.entries(spec.files).map(
      ([path, file]): SemanticRule => [
        file.secret,
        `spec.files[${JSON.stringify(path)}]`,
        'is a secret that whoever can read the metadata of the instance can read',
      ],
    ),
    ...Object.entries(containerd.registries).map(
      ([host, { mirrors }]): SemanticRule => [
        mirrors.some((mirror) => mirror.skipVerify),
        `spec.containerd.registries[${JSON.stringify(host)}]`,
        'takes images from a mirror whose certificate is not verified',
      ],
    ),
  ];
  return found.filter(([isWrong]) => isWrong).map(([, path, message]) => ({ path, message }));
}

function asksForPods(maxPods: number | string | undefined): boolean {
  if (typeof maxPods !== 'string') return false;
  const parsed = parseExpression(maxPods, 'number');
  return 'variables' in parsed && parsed.variables.has('pods');
}

/** It need not say what it is; when it does, it has to be that. */
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
    'is there already, with the same key and effect',
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
