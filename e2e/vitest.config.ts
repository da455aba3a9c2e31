import { defineConfig } from 'vitest/config';
import { requireNode } from '../.ci/require-node.ts';

requireNode();

const isCampaign = process.env.HEADSTART_CAMPAIGN === 'full';
/** They boot VMs or build disks, which need every core: one at a time. */
const WHOLE_MACHINE = [
  'qemu-*',
  'image-b*',
  'image-sbom',
  'imds-guest',
  'kube-nodes',
  'node-vm',
  'standby*',
  'autoscaler-nodes',
  'chart-on-node',
].map((name) => `e2e/${name}.test.ts`);
/** `make campaign` only: hours of random kills (those at chosen steps are in kube-nodes), a program that must be given, and long waits. */
const CAMPAIGN_ONLY = ['qemu-kill', 'autoscaler-nodes', 'standby-cases', 'chart-on-node'].map(
  (name) => `e2e/${name}.test.ts`,
);
/** Large to install, or to build: `make campaign PART=azure-cli,install`. */
const SERVICES_OF_CAMPAIGN = ['e2e/azure-cli.test.ts', 'e2e/install.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine a page takes longer than the usual second to draw.
    expect: { poll: { timeout: 20_000 } },
    reporters: ['verbose'],
    projects: [
      {
        extends: true,
        // Each runs a browser, an API server or the simulator: two at a time fit on two cores.
        test: {
          name: 'services',
          include: ['e2e/*.test.ts'],
          exclude: [...WHOLE_MACHINE, ...(isCampaign ? [] : SERVICES_OF_CAMPAIGN)],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'machines',
          include: WHOLE_MACHINE,
          exclude: isCampaign ? [] : CAMPAIGN_ONLY,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
