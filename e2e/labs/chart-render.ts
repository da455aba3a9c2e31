// e2e/labs/chart-render.ts: what does the chart render for these values, and what does a value change?
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { HelmTools } from '../programs/ensure-helm.ts';

export const CHART = join(import.meta.dirname, '../../charts/vmss-prototype');

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [key: string]: unknown;
}

export interface Rendering {
  /** Helm's `--namespace`. */
  namespace?: string;
  release?: string;
  kubeVersion?: string;
  /** Default: the chart's folder. */
  chart?: string;
  /** Exactly these values, without an image. */
  isBare?: boolean;
}

/** A scale set in the cluster of the tests; the values may name it by its id. */
export const POOL = {
  id: '/subscriptions/11111111-2222-4333-8444-555555555555/resourceGroups/MC_nodes/providers/Microsoft.Compute/virtualMachineScaleSets/k8s-pool1-12345678-vmss',
  name: 'k8s-pool1-12345678-vmss',
};

/** The image has no default. */
export function withImage(values: Json): Json {
  const { image = {}, ...others } = values as { [key: string]: Json };
  return { ...others, image: { repository: 'headstart', ...(image as object) } };
}

/** Values as one document, as with `--values`, with an image. Throws helm's error output. */
export function render({ helm }: HelmTools, values: Json, options: Rendering = {}): Manifest[] {
  const { release = 'example', namespace = 'nodes', kubeVersion = '1.35.8', chart = CHART } = options;
  const argv = ['template', release, chart, '--namespace', namespace, '--kube-version', kubeVersion, '--values', '-'];
  const ran = spawnSync(helm, argv, {
    input: JSON.stringify(options.isBare ? values : withImage(values)),
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return parseAllDocuments(ran.stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

export interface Changes {
  [path: string]: { from?: unknown; to?: unknown };
}

/** Every leaf that differs, by a path such as `Job example/spec/backoffLimit`. */
export function changesBetween(before: readonly Manifest[], after: readonly Manifest[]): Changes {
  const [from, to] = [leavesOfAll(before), leavesOfAll(after)];
  const changes: Changes = {};
  for (const path of [...new Set([...from.keys(), ...to.keys()])].sort()) {
    if (from.get(path) === to.get(path)) continue;
    changes[path] = {
      ...(from.has(path) && { from: from.get(path) }),
      ...(to.has(path) && { to: to.get(path) }),
    };
  }
  return changes;
}

function leavesOfAll(manifests: readonly Manifest[]): Map<string, unknown> {
  return new Map(
    manifests.flatMap((manifest) => [...leavesOf(manifest, `${manifest.kind} ${manifest.metadata.name}`)]),
  );
}

function* leavesOf(value: unknown, path: string): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) yield [path, value];
  else for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, `${path}/${key}`);
}

export interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

export interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: object }[];
  securityContext: object;
}

export interface Pod {
  serviceAccountName: string;
  restartPolicy: string;
  securityContext: object;
  containers: Container[];
  initContainers?: Container[];
  tolerations?: object[];
  affinity?: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: { matchExpressions?: object[]; matchFields?: object[] }[];
      };
    };
  };
}

export function rulesOf(manifests: readonly Manifest[]): Rule[] {
  return manifests.flatMap((manifest) => (manifest.rules as Rule[] | undefined) ?? []);
}

export function podOf(manifests: readonly Manifest[]): Pod {
  const job = manifests.find(({ kind }) => kind === 'Job' || kind === 'CronJob') as unknown as {
    spec: { template?: { spec: Pod }; jobTemplate?: { spec: { template: { spec: Pod } } } };
  };
  return (job.spec.template ?? job.spec.jobTemplate?.spec.template)!.spec;
}

export function argsOf(manifests: readonly Manifest[]): string[] {
  return podOf(manifests).containers[0]?.args ?? [];
}

export function termsOf(pod: Pod) {
  return pod.affinity?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms ?? [];
}
