// boot/model/known-units.ts: under which unit names do kubelet and the guest agents run?

export const KUBELET_UNIT = 'kubelet.service';

/** Azure's agent: Debian and Ubuntu call it walinuxagent, the others waagent. */
export const GUEST_AGENT_UNITS: readonly string[] = ['walinuxagent.service', 'waagent.service'];
