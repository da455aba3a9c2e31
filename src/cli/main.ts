// cli/main.ts: the table of verbs. A verb's file is loaded only when it is called, so --help and small verbs stay fast.

import { argvOf } from './called-as.ts';
import { NODE_GROUPS, NODE_VERBS } from './node/verbs.ts';
import { type CliProgram, type Groups, runProgram, type Verbs } from './program.ts';
import type { CliDeps } from './verb.ts';

/** Headings in the help of the program. */
const [ANALYSE, ROLL_OUT, LOCAL, OTHER] = ['Analyse boots:', 'Build and roll out:', 'On this machine:', 'Other:'];
const OTHER_TOOLS = 'Verbs of systemd-analyze and cloud-init analyze:';

export const GROUPS: Groups = {
  boot: {
    heading: ANALYSE,
    summary: 'Show where the time goes from VM start to Node Ready',
    examples: ['boot timeline boot.tar.gz', 'boot what-if --scan boot.tar.gz'],
  },
  'boot systemd': {
    heading: OTHER_TOOLS,
    summary: 'Run the verbs of systemd-analyze on a recorded boot, or on this machine',
    examples: ['boot systemd critical-chain -i boot.tar.gz', 'boot systemd blame --compat=252 -i boot.tar.gz'],
  },
  'boot cloud-init': {
    heading: OTHER_TOOLS,
    summary: 'Run the verbs of cloud-init analyze on a log, without the crashes of the original',
    examples: ['boot cloud-init show -i cloud-init.log', 'boot cloud-init boot -i boot.tar.gz'],
  },
  prototype: {
    heading: ROLL_OUT,
    summary: 'Turn the best node of a pool into the image that new nodes start from',
    examples: ['prototype candidates --pool pool1', 'prototype run --node k8s-pool1-12345678-vmss000000'],
  },
  image: {
    heading: ROLL_OUT,
    summary: 'Build, test and publish node images from one manifest',
    examples: ['image lock && headstart image build', 'image test images/node-1.35.8-2026.1116.0'],
  },
  node: { heading: ROLL_OUT, ...NODE_GROUPS.node! },
  standby: {
    heading: ROLL_OUT,
    summary: 'Keep nodes prepared in advance that are Ready within seconds of a claim',
    examples: ['standby up pool1 --frozen 2', 'standby claim pool1'],
  },
  pool: {
    heading: LOCAL,
    summary: 'Create and manage pools of VMs on this machine',
    examples: ['pool create pool1 --count 3', 'pool exec pool1-000001 -- systemctl is-system-running'],
  },
  cluster: {
    heading: LOCAL,
    summary: 'Run a Kubernetes control plane on this machine that pools can join',
    examples: ['cluster up', 'cluster status'],
  },
  sim: {
    heading: LOCAL,
    summary: 'Simulate Azure, or the metadata service of an instance, on this machine',
    examples: [
      'sim azure --scenario sims/azure/scenarios/three-nodes.yaml',
      'sim imds --instance examples/instance.json',
    ],
  },
};

export const VERBS: Verbs = {
  'boot timeline': {
    summary: 'Show every step from VM start to Node Ready: when, how long, work or wait',
    load: () => import('./boot/timeline.ts'),
  },
  'boot blame': {
    summary: 'Show what took longest: units, cloud-init modules, scripts and waits',
    load: () => import('./boot/blame.ts'),
  },
  'boot chain': {
    summary: 'Show the critical path: what delayed the node, link by link',
    load: () => import('./boot/chain.ts'),
  },
  'boot what-if': {
    summary: 'Estimate what a change would save: drop an ordering, mask or speed up a unit',
    load: () => import('./boot/what-if.ts'),
  },
  'boot compare': {
    summary: 'Show what became slower or faster, appeared or disappeared between two boots',
    load: () => import('./boot/compare.ts'),
  },
  'boot check': {
    summary: 'Check a boot against a budget or recorded boots; exit code 3 when it is slower',
    load: () => import('./boot/check.ts'),
  },
  'boot report': {
    summary: 'Write a self-contained HTML report of up to four boots',
    load: () => import('./boot/report.ts'),
  },
  'boot export': {
    summary: 'Export a boot as JSON, an OTLP trace, a Chrome trace or CSV',
    load: () => import('./boot/export.ts'),
  },
  'boot collect': {
    summary: 'Collect the boot data of this or another machine into one bundle, without secrets',
    load: () => import('./boot/collect.ts'),
  },
  'boot record': {
    summary: 'Save the record of this boot, or of every boot from now on',
    load: () => import('./boot/record.ts'),
  },
  'boot history': {
    summary: 'List the recorded boots and what changed between them',
    load: () => import('./boot/history.ts'),
  },
  'boot systemd time': {
    summary: 'Show the time spent in firmware, loader, kernel, initrd and userspace',
    load: () => import('./boot/systemd/time.ts'),
  },
  'boot systemd blame': {
    summary: 'List units by the time they took to start',
    load: () => import('./boot/systemd/blame.ts'),
  },
  'boot systemd critical-chain': {
    summary: 'Show the time-critical chain of units',
    load: () => import('./boot/systemd/critical-chain.ts'),
  },
  'boot systemd plot': {
    summary: 'Draw the start of all units as an SVG picture',
    load: () => import('./boot/systemd/plot.ts'),
  },
  'boot systemd dot': {
    summary: 'Print the ordering of units as a dot graph',
    load: () => import('./boot/systemd/dot.ts'),
  },
  'boot cloud-init show': {
    summary: 'Show stages and modules in the order they ran',
    load: () => import('./boot/cloud-init/show.ts'),
  },
  'boot cloud-init blame': {
    summary: 'List modules by the time they took',
    load: () => import('./boot/cloud-init/blame.ts'),
  },
  'boot cloud-init dump': {
    summary: 'Print the events of the log as JSON',
    load: () => import('./boot/cloud-init/dump.ts'),
  },
  'boot cloud-init boot': {
    summary: 'Show when the kernel started and ended and when cloud-init was activated and started',
    load: () => import('./boot/cloud-init/boot.ts'),
  },
  'prototype run': {
    summary: 'Capture a node and start all new nodes of its pool from it; run again to resume',
    load: () => import('./prototype/run.ts'),
  },
  'prototype plan': {
    summary: 'Show every step of a run with its state, and the exact change to the pool model',
    load: () => import('./prototype/plan.ts'),
  },
  'prototype candidates': {
    summary: 'Rank the nodes of a pool as donors, with reasons',
    load: () => import('./prototype/candidates.ts'),
  },
  'prototype status': {
    summary: 'Show the versions, the image of new instances, and which instances are outdated',
    load: () => import('./prototype/status.ts'),
  },
  'prototype rollback': {
    summary: 'Point a pool at an earlier version, or at its original model',
    load: () => import('./prototype/rollback.ts'),
  },
  'prototype recover': {
    summary: 'Return a donor to service after an interrupted run',
    load: () => import('./prototype/recover.ts'),
  },
  'prototype prune': {
    summary: 'Delete old versions that are no longer in use',
    load: () => import('./prototype/prune.ts'),
  },
  'prototype cost': {
    summary: 'Estimate what the kept versions cost per month',
    load: () => import('./prototype/cost.ts'),
  },
  'prototype uninstall': {
    summary: 'Remove everything that prototype runs added to a pool',
    load: () => import('./prototype/uninstall.ts'),
  },
  'image check': {
    summary: 'Check a manifest: its fields, and whether its versions are compatible',
    load: () => import('./image/check.ts'),
  },
  'image schema': {
    summary: 'Print the JSON Schema of a manifest',
    load: () => import('./image/schema.ts'),
  },
  'image lock': {
    summary: 'Pin every package, program and container image to its sha256',
    load: () => import('./image/lock.ts'),
  },
  'image update': {
    summary: 'Show newer versions that the manifest allows',
    load: () => import('./image/update.ts'),
  },
  'image build': {
    summary: 'Build the disk images of a lock without a VM; the same lock gives the same bytes',
    load: () => import('./image/build.ts'),
  },
  'image test': {
    summary: 'Boot a built image, check it from inside, and check its boot against a budget',
    load: () => import('./image/test.ts'),
  },
  'image diff': {
    summary: 'Show what changed between two locks, or print release notes',
    load: () => import('./image/diff.ts'),
  },
  'image hotfix': {
    summary: 'Make a lock that differs from a released one only in the named components',
    load: () => import('./image/hotfix.ts'),
  },
  'image publish': {
    summary: 'Publish a tested image to a gallery, on this machine or on Azure',
    load: () => import('./image/publish.ts'),
  },
  'image promote': {
    summary: 'Put a published version into a channel without a new build',
    load: () => import('./image/promote.ts'),
  },
  'image list': {
    summary: 'List the published versions with their channels and test results',
    load: () => import('./image/list.ts'),
  },
  ...NODE_VERBS,
  // On nodes it compares files; here also instances of local pools, by name.
  'node distinct': { ...NODE_VERBS['node distinct']!, load: () => import('./pool/distinct-instances.ts') },
  'pool base': {
    summary: 'Build the minimal Debian image that pools start from (needed once)',
    load: () => import('./pool/base.ts'),
  },
  'pool create': {
    summary: 'Create a pool of VMs from one image, and start its instances',
    load: () => import('./pool/create.ts'),
  },
  'pool list': {
    summary: 'List the pools of this machine',
    load: () => import('./pool/list.ts'),
  },
  'pool show': {
    summary: 'Show the model of a pool and the state of its instances',
    load: () => import('./pool/show.ts'),
  },
  'standby plan': {
    summary: 'Find the cheapest number and mix of standby nodes for an objective',
    load: () => import('./standby/plan.ts'),
  },
  'standby up': {
    summary: 'Set which standby nodes a pool keeps, and prepare them',
    load: () => import('./standby/up.ts'),
  },
  'standby status': {
    summary: 'List the standby nodes and why each one is kept or not',
    load: () => import('./standby/status.ts'),
  },
  'standby claim': {
    summary: 'Take standby nodes into service and wait until they are Ready',
    load: () => import('./standby/claim.ts'),
  },
  'standby down': {
    summary: 'Delete the standby nodes of a pool',
    load: () => import('./standby/down.ts'),
  },
  'pool scale': {
    summary: 'Add instances from the current model, or remove the newest',
    load: () => import('./pool/scale.ts'),
  },
  'pool serve': {
    summary: 'Let cluster-autoscaler scale pools, standby nodes first',
    load: () => import('./pool/serve.ts'),
  },
  'pool set': {
    summary: 'Set the user data that the metadata service gives to instances',
    load: () => import('./pool/set.ts'),
  },
  'pool delete': {
    summary: 'Delete a pool with its instances and their disks',
    load: () => import('./pool/delete.ts'),
  },
  'pool start': {
    summary: 'Start a stopped instance',
    load: () => import('./pool/start.ts'),
  },
  'pool stop': {
    summary: 'Shut down an instance and keep its disk',
    load: () => import('./pool/stop.ts'),
  },
  'pool reimage': {
    summary: 'Replace the disk of an instance with a new one from the current model',
    load: () => import('./pool/reimage.ts'),
  },
  'pool logs': {
    summary: 'Print the console output of an instance',
    load: () => import('./pool/logs.ts'),
  },
  'pool ssh': {
    summary: 'Open a shell in an instance',
    load: () => import('./pool/ssh.ts'),
  },
  'pool exec': {
    summary: 'Run a program in an instance, through its guest agent',
    load: () => import('./pool/exec.ts'),
  },
  'cluster up': {
    summary: 'Start the control-plane components that are down',
    load: () => import('./cluster/up.ts'),
  },
  'cluster status': {
    summary: 'Show the control-plane components and the nodes that joined',
    load: () => import('./cluster/status.ts'),
  },
  'cluster token': {
    summary: 'Create a short-lived token for a node to join with',
    load: () => import('./cluster/token.ts'),
  },
  'cluster node-config': {
    summary: 'Print the user data that makes an instance join the cluster',
    load: () => import('./cluster/node-config.ts'),
  },
  'cluster down': {
    summary: 'Stop the control plane; its data stays unless you add --delete',
    load: () => import('./cluster/down.ts'),
  },
  'sim azure': {
    summary: 'Simulate Azure, for the prototype and image verbs',
    load: () => import('./sim-azure.ts'),
  },
  'sim imds': {
    summary: 'Simulate the metadata service and wire server of one instance, with faults',
    load: () => import('./sim-imds.ts'),
  },
  doctor: {
    heading: OTHER,
    summary: 'Show what this machine has and lacks for each capability; exit code 3 when something is missing',
    load: () => import('./doctor/doctor.ts'),
  },
  completion: {
    heading: OTHER,
    summary: 'Print a completion script for bash, zsh or fish',
    load: () => import('./completion.ts'),
  },
  version: {
    heading: OTHER,
    summary: 'Print the version, and in a checkout the commit',
    load: async () => {
      const [{ versionVerb }, { versionOfThisCheckout }] = await Promise.all([
        import('./version.ts'),
        import('./this-checkout.ts'),
      ]);
      return { verb: versionVerb(versionOfThisCheckout) };
    },
  },
};

/** Runs one command line and returns its exit code; never throws for a user's mistake. */
export async function main(words: string[], deps: CliDeps): Promise<number> {
  const given = argvOf(words, deps.calledAs);
  if (given[0] === '__complete') {
    const { complete } = await import('./complete/complete.ts');
    return complete(given.slice(1), PROGRAM, deps);
  }
  return runProgram(PROGRAM, given, deps);
}

const PROGRAM: CliProgram = {
  summary: 'Explain and speed up the boot of Kubernetes nodes on VM pools',
  groups: GROUPS,
  verbs: VERBS,
  examples: ['boot collect -o boot.tar.gz', 'boot timeline boot.tar.gz'],
  translate: asSystemdAnalyze,
};

/** systemd-analyze also accepts options before its verb, and runs `time` without a verb. */
function asSystemdAnalyze(argv: string[]): string[] {
  const [boot, systemd, ...rest] = argv;
  const isOption = rest[0]?.startsWith('-') && !/^(?:-h|--help|--)$/.test(rest[0]);
  if (boot !== 'boot' || systemd !== 'systemd' || !isOption) return argv;
  const at = rest.findIndex((word) => VERBS[`boot systemd ${word}`]);
  return at < 0 ? [boot, systemd, 'time', ...rest] : [boot, systemd, rest[at]!, ...rest.toSpliced(at, 1)];
}
