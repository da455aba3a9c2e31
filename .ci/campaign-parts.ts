// .ci/campaign-parts.ts: what is the campaign made of? Too long for every change: each part runs the tests it names to the full.
import type { Described } from './parts.ts';

export interface CampaignPart extends Described {
  files: readonly string[];
  /** Of e2e, on real VMs. */
  onVms?: true;
  /** Of e2e, without VMs. */
  isOfE2e?: true;
  /** Where chance draws cases: the seeds unless SEEDS names others. */
  seeds?: string;
  /** Each seed is a Vitest of its own: properties have one seed for all their cases. */
  isSeedEach?: true;
}

export const CAMPAIGN: Readonly<Record<string, CampaignPart>> = {
  prototype: {
    about: 'Faults at every call of a prototype run, and worlds that move by themselves, 1,000 a seed',
    files: ['src/prototype/run/campaign.test.ts', 'src/prototype/simulation/sweep.test.ts'],
    seeds: '1-100',
  },
  azure: {
    about: 'Every fault at every order, with the SDK on the simulated Azure',
    files: ['src/prototype/run/azure-campaign.test.ts'],
  },
  'azure-cli': {
    about: 'The whole life of a pool on the simulated Azure with the Azure CLI (733 MB, once)',
    files: ['e2e/azure-cli.test.ts'],
    isOfE2e: true,
  },
  install: {
    about: 'Packages of make dist, installed in empty Debian 12 and 13 (root, mmdebstrap), and built twice',
    files: ['e2e/install.test.ts'],
    isOfE2e: true,
  },
  'clone-check': {
    about: 'Power loss at every line and every write of the clone check',
    files: ['src/clone-check'],
  },
  node: {
    about: 'A node killed or without power at every write of a change',
    files: ['src/node/apply/survives.test.ts', 'src/node/apply/killed-process.test.ts'],
    seeds: '1-25',
  },
  properties: {
    about: 'Random configurations, plans, stores and runs to uninstall',
    files: ['src/node/plan/plan.test.ts', 'src/node/apply/store.test.ts', 'src/prototype/after/uninstall.test.ts'],
    seeds: '1-3',
    isSeedEach: true,
  },
  'pool-kills': {
    about: 'Runs on a real pool, each killed three times',
    files: ['e2e/qemu-kill.test.ts'],
    onVms: true,
    seeds: '1-12',
  },
  'power-cuts': {
    about: 'Power cuts of a real node in the middle of a change',
    files: ['e2e/node-vm.test.ts'],
    onVms: true,
    seeds: '1-20',
  },
  standby: {
    about:
      'Standby nodes: ten claimed at once, fifty freezes, random kills; an API server that moves, certificates that end',
    files: ['e2e/standby.test.ts', 'e2e/standby-cases.test.ts'],
    onVms: true,
    seeds: '1-10',
  },
  autoscaler: {
    about: 'The real cluster-autoscaler scales a real pool, the frozen node first (needs HEADSTART_CLUSTER_AUTOSCALER)',
    files: ['e2e/autoscaler-nodes.test.ts'],
    onVms: true,
  },
  'chart-on-node': {
    about: 'The packaged chart on a real node: a status run, a plan and a refused run (needs Go, once)',
    files: ['e2e/chart-on-node.test.ts'],
    onVms: true,
  },
  'kube-kills': {
    about: 'Runs with a real Kubernetes node as donor, each killed three times (needs Go, once)',
    files: ['e2e/kube-nodes.test.ts'],
    onVms: true,
    seeds: '1-5',
  },
};
