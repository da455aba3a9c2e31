// node/plan/leaves.ts: which settings inside a file change, and what does each do to a node in service?
import type { Json } from '../../schema/json.ts';
import { differingLeaves } from '../desired/kubelet-config.ts';
import { judgeKubeletField, staleStateOf } from '../desired/kubelet-fields.ts';
import { parseFlags } from '../desired/kubelet-flags.ts';
import { tomlSettings } from '../desired/toml.ts';
import type { DisruptionClass, LeafChange, Notation } from '../desired/tree.ts';

export interface ClassifiedLeaf extends LeafChange {
  /** State files that become stale. */
  stale: readonly string[];
}

/** For all notations except kubelet's configuration, whose files must be merged first: see `kubeletLeaves`. */
export function fileLeaves(
  notation: Exclude<Notation, 'kubelet-config'>,
  before: string | undefined,
  after: string | undefined,
): ClassifiedLeaf[] {
  switch (notation) {
    case 'kubelet-flags':
      return differing(parseFlags(before ?? ''), parseFlags(after ?? ''), '--', judgeFlag);
    case 'containerd-config':
      return differing(tomlSettings(before ?? ''), tomlSettings(after ?? ''), '', judgeContainerd);
    case 'certificates':
      return certificateLeaves(before, after);
  }
}

/** `from` and `to` are the merged configurations. */
export function kubeletLeaves(from: Json, to: Json): ClassifiedLeaf[] {
  return differingLeaves(from, to).map((leaf) => ({
    path: leaf.path.join('.'),
    from: shown(leaf.from),
    to: shown(leaf.to),
    ...judgeKubeletField(leaf.path, leaf.from, leaf.to),
    stale: staleStateOf(leaf.path),
  }));
}

function shown(value: Json | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
}

type Judge = (name: string) => { class: DisruptionClass; why: string };

function differing(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  prefix: string,
  judge: Judge,
): ClassifiedLeaf[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .sort()
    .map((name) => ({
      path: `${prefix}${name}`,
      from: before.get(name),
      to: after.get(name),
      ...judge(name),
      stale: [],
    }));
}

const judgeFlag: Judge = (name) => {
  switch (name) {
    case 'node-labels':
    case 'register-with-taints':
      return { class: 0, why: 'kubelet uses it only when the node registers' };
    case 'hostname-override':
    case 'provider-id':
    case 'cloud-provider':
      return { class: 7, why: 'it is part of the identity of the node' };
    case 'root-dir':
    case 'cert-dir':
      return { class: 5, why: 'the data of kubelet would be in another directory' };
    case 'node-ip':
      return { class: 4, why: 'running pods use the old address' };
    case 'config':
    case 'config-dir':
    case 'kubeconfig':
    case 'bootstrap-kubeconfig':
    case 'image-credential-provider-bin-dir':
    case 'image-credential-provider-config':
    case 'runtime-cgroups':
    case 'v':
    case 'vmodule':
      return { class: 2, why: 'kubelet reads it when it starts' };
    default:
      return { class: 4, why: 'its effect on running pods is unknown' };
  }
};

const judgeContainerd: Judge = (name) => {
  if (name === 'root' || name === 'state') {
    return { class: 5, why: 'images and containers would be in another directory' };
  }
  if (name.endsWith('.snapshotter')) return { class: 4, why: 'running containers use the old snapshotter' };
  return { class: 3, why: 'containerd reads it when it starts' };
};

/** If one certificate stays, this is a rotation; if none stays, it is another cluster. */
function certificateLeaves(before: string | undefined, after: string | undefined): ClassifiedLeaf[] {
  const [old, now] = [blocksOf(before), blocksOf(after)];
  const isSame = old.length === now.length && old.every((block) => now.includes(block));
  if (isSame) return [];
  const keepsOne = old.some((block) => now.includes(block));
  return [
    {
      path: 'certificates',
      from: `${old.length}`,
      to: `${now.length}`,
      ...(keepsOne || old.length === 0
        ? { class: 2, why: 'kubelet reads it when it starts' }
        : { class: 7, why: "no old certificate is kept, so the node's certificate would belong to another cluster" }),
      stale: [],
    },
  ];
}

function blocksOf(pem: string | undefined): string[] {
  const blocks = pem?.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => block.replace(/\s+/g, ''));
}
