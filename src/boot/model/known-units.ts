// boot/model/known-units.ts: what are the units of kubelet and of the guest agents called?

export const KUBELET_UNIT = 'kubelet.service';

/** Azure's agent is walinuxagent on Debian and Ubuntu, waagent elsewhere. */
export const GUEST_AGENT_UNITS: readonly string[] = ['walinuxagent.service', 'waagent.service'];
