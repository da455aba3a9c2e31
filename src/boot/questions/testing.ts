// boot/questions/testing.ts: handwritten node boots for the tests of several questions.
import { bootRecord, managerTimes, span, unit } from '../testing.ts';

/** From basic.target to Node Ready, with spans of systemd, cloud-init and the cluster. */
export const nodeBoot = bootRecord({
  manager: managerTimes({ userspaceUs: 2e6, finishUs: 40e6 }),
  units: [
    unit('basic.target', 3, 0),
    unit('systemd-networkd-wait-online.service', 3, 5, ['basic.target']),
    unit('network-online.target', 8, 0, ['systemd-networkd-wait-online.service']),
    unit('cloud-final.service', 8.5, 10, ['network-online.target']),
    unit('kubelet.service', 19, 1, ['cloud-final.service', 'late.service']),
    unit('late.service', 30, 2),
    unit('multi-user.target', 20, 0, ['kubelet.service'], { aliases: ['default.target'] }),
  ],
  spans: [
    span('cloud-init:modules-final', 9, 18, { unit: 'cloud-final.service' }),
    span('cloud-init:modules-final/config-runcmd', 10, 17, { parent: 'cloud-init:modules-final' }),
  ],
  milestones: [
    { name: 'node-registered', atUs: 22e6, source: 'cluster', errorUs: 1e6 },
    { name: 'node-ready', atUs: 30e6, source: 'cluster', errorUs: 1e6 },
  ],
});

/** An extension starts kubelet, and kubelet reports its steps to Ready. */
export const aksBoot = bootRecord({
  units: [
    unit('basic.target', 2, 0),
    unit('walinuxagent.service', 5, 1, ['basic.target']),
    unit('kubelet.service', 50, 0.1, ['basic.target']),
  ],
  spans: [
    span('extension:AKS.CSE.cse_start', 32, 52),
    span('extension:AKS.CSE.installDeps', 32.1, 40),
    span('extension:AKS.CSE.ensureKubelet', 41, 51.5),
    span('extension:AKS.Runtime.waitForTLSBootstrapping', 49.9, 55.2, { wait: 'extension: until it is there' }),
    span('kubelet:start', 50.3, 56, { unit: 'kubelet.service' }),
    span('kubelet:register', 56, 56.4, { unit: 'kubelet.service' }),
    span('kubelet:become-ready', 56.4, 66.2, { unit: 'kubelet.service' }),
  ],
  milestones: [
    { name: 'node-registered', atUs: 56.4e6, source: 'kubelet' },
    { name: 'node-ready', atUs: 66.2e6, source: 'kubelet' },
  ],
});

/** Only events of an extension and the cluster, none of kubelet. */
export const eventsBoot = bootRecord({
  spans: [
    span('extension:AKS.CSE.ensureKubelet', 41, 51.5),
    span('extension:AKS.Runtime.waitForTLSBootstrapping', 50.2, 55.2, { wait: 'extension: until it is there' }),
  ],
  milestones: [
    { name: 'kubelet-started', atUs: 50e6, source: 'kubelet', errorUs: 1e6 },
    { name: 'node-registered', atUs: 56e6, source: 'cluster', errorUs: 1e6 },
  ],
});

const parkedSpans = [
  span('cloud-init:init-local', 5, 1008),
  span('cloud-init:azure-ds/_poll_imds', 6, 1006, { parent: 'cloud-init:init-local', wait: 'platform: parked' }),
  span('cloud-init:modules-final', 1014, 1016),
];
/** A cloud-init log without units, on a VM that was parked. */
export const parkedBoot = bootRecord({ spans: parkedSpans });

/** The same, with the cluster's milestones of the node. */
export const parkedNode = bootRecord({
  spans: [...parkedSpans, span('cluster:become-ready', 1030, 1040)],
  milestones: [
    { name: 'node-registered', atUs: 1030e6, source: 'cluster' },
    { name: 'node-ready', atUs: 1040e6, source: 'cluster' },
  ],
});
