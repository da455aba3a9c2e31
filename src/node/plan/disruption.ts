// node/plan/disruption.ts: how disruptive is a class of change, which of two is worse, and what is left of it at a moment when
// there is nothing to disrupt?
import type { DisruptionClass, KubeletPhase, LiveKind } from '../desired/tree.ts';

/** In the order of disruption: whoever allows one allows all before it. */
export const CLASSES: readonly DisruptionClass[] = [0, 1, 2, 3, 4, 5, 6, 'C', 7];

/** As a document spells them; the last two cannot be allowed. */
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
  5: 'the node is drained first and kubelet forgets its state',
  6: 'the machine reboots',
  C: 'only the control plane may do it',
  7: 'it takes another node',
};

export function rank(one: DisruptionClass): number {
  return CLASSES.indexOf(one);
}

export function highest(classes: Iterable<DisruptionClass>): DisruptionClass {
  return CLASSES[Math.max(0, ...[...classes].map(rank))]!;
}

/**
 * Where no kubelet ever ran there are neither pods nor a Node, so nothing is disrupted and identity is still to be given. After a
 * boot, before kubelet starts, no container runs either; but what was registered and what the kernel booted with is fixed.
 */
export function classNow(nominal: DisruptionClass, kubeletPhase: KubeletPhase): DisruptionClass {
  if (kubeletPhase === 'running' || rank(nominal) <= 1) return nominal;
  if (kubeletPhase === 'never-ran') return 1;
  return rank(nominal) <= 5 ? 1 : nominal;
}

/** Of changing a live value on a node in service. */
export function classOfLive(kind: LiveKind, key: string): { class: DisruptionClass; why: string } {
  switch (kind) {
    case 'sysctl':
    case 'module':
      return { class: 1, why: 'the kernel takes it at once' };
    case 'host-name':
      return { class: 1, why: 'the kernel takes it at once; kubelet is told the name of the Node apart' };
    case 'mtu':
      return { class: 4, why: 'pods that run keep packets of the old size' };
    case 'swap':
      return { class: 4, why: 'pods that run were placed without it, or have memory in it' };
    case 'firewall':
      return { class: 1, why: 'the rules are replaced in one transaction' };
    case 'kubeconfig':
      return { class: 2, why: 'kubelet reads it when it starts' };
    case 'label':
      return { class: 1, why: 'the node may change it on its own Node' };
    case 'taint':
      return { class: 'C', why: 'a node may not change the taints of its own Node' };
    case 'unit-enabled':
      return { class: 0, why: 'it matters at the next boot' };
    case 'unit-active':
      return classOfUnit(key);
  }
}

/** Of starting, stopping or restarting a unit. */
export function classOfUnit(unit: string): { class: DisruptionClass; why: string } {
  if (unit === 'kubelet.service') return { class: 2, why: 'kubelet restarts' };
  if (unit === 'containerd.service') return { class: 3, why: 'containerd restarts' };
  return { class: 1, why: 'only this unit is touched' };
}
