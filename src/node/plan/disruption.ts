// node/plan/disruption.ts: how disruptive is a change on a node in service, and how disruptive before kubelet runs?
import type { DisruptionClass, KubeletPhase, LiveKind } from '../desired/tree.ts';

/** From least to most disruptive. Allowing a class allows all before it. */
export const CLASSES: readonly DisruptionClass[] = [0, 1, 2, 3, 4, 5, 6, 'C', 7];

/** The names in a document; the last two cannot be allowed. */
export const CLASS_NAME: Readonly<Record<DisruptionClass, string>> = {
  0: 'none',
  1: 'live',
  2: 'kubelet-restart',
  3: 'runtime-restart',
  4: 'drain',
  5: 'drain-and-state-removal',
  6: 'reboot',
  C: 'control-plane',
  7: 'replacement',
};

export const CLASS_MEANS: Readonly<Record<DisruptionClass, string>> = {
  0: 'nothing is disrupted',
  1: 'applied live',
  2: 'kubelet restarts; containers keep running',
  3: 'containerd restarts; containers keep running',
  4: 'the node is drained first',
  5: 'the node is drained first and state of kubelet is deleted',
  6: 'the machine reboots',
  C: 'only the control plane may apply it',
  7: 'the node must be replaced',
};

export function rank(one: DisruptionClass): number {
  return CLASSES.indexOf(one);
}

export function highest(classes: Iterable<DisruptionClass>): DisruptionClass {
  return CLASSES[Math.max(0, ...[...classes].map(rank))]!;
}

/**
 * If kubelet never ran there are no pods and no Node, so nothing is disrupted and even the identity can change. After a boot, before
 * kubelet starts, no container runs, but the registered identity and what the kernel booted with cannot change.
 */
export function classNow(nominal: DisruptionClass, kubeletPhase: KubeletPhase): DisruptionClass {
  if (kubeletPhase === 'running' || rank(nominal) <= 1) return nominal;
  if (kubeletPhase === 'never-ran') return 1;
  return rank(nominal) <= 5 ? 1 : nominal;
}

export function classOfLive(kind: LiveKind, key: string): { class: DisruptionClass; why: string } {
  switch (kind) {
    case 'sysctl':
    case 'module':
      return { class: 1, why: 'the kernel applies it at once' };
    case 'host-name':
      return { class: 1, why: 'the kernel applies it at once; kubelet gets the name of the Node separately' };
    case 'mtu':
      return { class: 4, why: 'running pods keep the old packet size' };
    case 'swap':
      return { class: 4, why: 'running pods were scheduled without it, or have memory in it' };
    case 'firewall':
      return { class: 1, why: 'the rules are replaced in one transaction' };
    case 'kubeconfig':
      return { class: 2, why: 'kubelet reads it when it starts' };
    case 'label':
      return { class: 1, why: 'the node may change labels of its Node' };
    case 'taint':
      return { class: 'C', why: 'a node may not change taints of its Node' };
    case 'unit-enabled':
      return { class: 0, why: 'it takes effect at the next boot' };
    case 'unit-active':
      return classOfUnit(key);
  }
}

export function classOfUnit(unit: string): { class: DisruptionClass; why: string } {
  if (unit === 'kubelet.service') return { class: 2, why: 'kubelet restarts' };
  if (unit === 'containerd.service') return { class: 3, why: 'containerd restarts' };
  return { class: 1, why: 'only this unit is affected' };
}
