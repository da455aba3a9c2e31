// cli/main.ts: the table of verbs. A verb's file is loaded only when it is called, so --help and small verbs stay fast.
import { readFileSync } from 'node:fs';
import { NODE_GROUPS, NODE_VERBS } from './node/verbs.ts';
import { type Groups, runProgram, type Verbs } from './program.ts';
import type { Edges } from './verb.ts';

export const GROUPS: Groups = {
  boot: {
    summary: 'where did the time go between "give me a node" and Node Ready',
    examples: ['boot timeline -i boot.tar.gz', 'boot what-if --scan -i boot.tar.gz'],
  },
  'boot systemd': {
    summary: "systemd-analyze's verbs, offline and on any input",
    examples: ['boot systemd critical-chain -i boot.tar.gz', 'boot systemd blame --compat=252 -i boot.tar.gz'],
  },
  prototype: {
    summary: 'make the best node of a pool the image every new node starts from',
    examples: ['prototype candidates --pool pool1', 'prototype run --node k8s-pool1-12345678-vmss000000'],
  },
  pool: {
    summary: 'pools of VMs on this machine, made from one recipe',
    examples: ['pool create pool1 --count 3', 'pool exec pool1-000001 -- systemctl is-system-running'],
  },
  ...NODE_GROUPS,
  image: {
    summary: 'one image for each Kubernetes patch version, from one manifest',
    examples: ['image lock && headstart image build', 'image test images/node-1.35.8-2026.1116.0'],
  },
  cluster: {
    summary: 'a Kubernetes control plane on this machine, for pools to join',
    examples: ['cluster up', 'cluster status'],
  },
  sim: {
    summary: 'local stand-ins for what is not at hand',
    examples: [
      'sim azure --scenario sims/azure/scenarios/three-nodes.yaml',
      'sim imds --instance sims/imds/examples/instance.json',
    ],
  },
  'boot cloud-init': {
    summary: "cloud-init analyze's verbs, without its crashes",
    examples: ['boot cloud-init show -i cloud-init.log', 'boot cloud-init boot -i boot.tar.gz'],
  },
};

export const VERBS: Verbs = {
  'boot timeline': {
    summary: 'one table from VM create to Node Ready: what, when, how long, work or wait',
    load: () => import('./boot/timeline.ts'),
  },
  'boot blame': {
    summary: 'what took longest, over everything at once',
    load: () => import('./boot/blame.ts'),
  },
  'boot chain': {
    summary: 'what held the node back, link by link',
    load: () => import('./boot/chain.ts'),
  },
  'boot what-if': {
    summary: 'what would an edit save: drop an ordering, mask or speed up a unit',
    load: () => import('./boot/what-if.ts'),
  },
  'boot compare': {
    summary: 'what got slower, faster, new or gone between two boots',
    load: () => import('./boot/compare.ts'),
  },
  'boot check': {
    summary: 'hold a boot to a budget; exit code 3 when it is exceeded',
    load: () => import('./boot/check.ts'),
  },
  'boot report': {
    summary: 'one self-contained HTML page',
    load: () => import('./boot/report.ts'),
  },
  'boot export': {
    summary: 'the boot as JSON, an OTLP trace, a Chrome trace or CSV',
    load: () => import('./boot/export.ts'),
  },
  'boot collect': {
    summary: 'gather all of it into one bundle, here or over ssh, secrets left out',
    load: () => import('./boot/collect.ts'),
  },
  'boot record': {
    summary: 'keep the record of this boot, or of every boot',
    load: () => import('./boot/record.ts'),
  },
  'boot history': {
    summary: 'the recorded boots, and the one where something changed',
    load: () => import('./boot/history.ts'),
  },
  'boot systemd time': {
    summary: 'time spent in firmware, loader, kernel, initrd and userspace',
    load: () => import('./boot/systemd-time.ts'),
  },
  'boot systemd blame': {
    summary: 'units by the time they took to start',
    load: () => import('./boot/systemd-blame.ts'),
  },
  'boot systemd critical-chain': {
    summary: 'the time-critical chain of units',
    load: () => import('./boot/systemd-critical-chain.ts'),
  },
  'boot systemd plot': {
    summary: 'the start of all units as an SVG picture',
    load: () => import('./boot/systemd-plot.ts'),
  },
  'boot systemd dot': {
    summary: 'the ordering of units as a dot graph',
    load: () => import('./boot/systemd-dot.ts'),
  },
  'boot cloud-init show': {
    summary: 'stages and modules in the order they ran',
    load: () => import('./boot/cloud-init-show.ts'),
  },
  'boot cloud-init blame': {
    summary: 'modules by the time they took',
    load: () => import('./boot/cloud-init-blame.ts'),
  },
  'boot cloud-init dump': {
    summary: 'the events of the log as JSON',
    load: () => import('./boot/cloud-init-dump.ts'),
  },
  'boot cloud-init boot': {
    summary: 'kernel start, kernel end, cloud-init activation and start',
    load: () => import('./boot/cloud-init-boot.ts'),
  },
  'prototype run': {
    summary: 'take this node, make all new nodes of its pool like it; repeated, it resumes',
    load: () => import('./prototype/run.ts'),
  },
  'prototype plan': {
    summary: 'every step with its present state, and the exact change of the model',
    load: () => import('./prototype/plan.ts'),
  },
  'prototype candidates': {
    summary: 'which node of a pool is the best donor, and why',
    load: () => import('./prototype/candidates.ts'),
  },
  'prototype status': {
    summary: 'versions, what the pool starts from, which instances are stale',
    load: () => import('./prototype/status.ts'),
  },
  'prototype rollback': {
    summary: 'back to an earlier version, or to the original recipe',
    load: () => import('./prototype/rollback.ts'),
  },
  'prototype recover': {
    summary: 'bring a donor home after a run that nobody resumed',
    load: () => import('./prototype/recover.ts'),
  },
  'prototype prune': {
    summary: 'delete versions beyond the history that nothing refers to',
    load: () => import('./prototype/prune.ts'),
  },
  'prototype cost': {
    summary: 'what the kept versions cost a month',
    load: () => import('./prototype/cost.ts'),
  },
  'prototype uninstall': {
    summary: 'the pool back on a recipe of your choice, and everything of ours gone',
    load: () => import('./prototype/uninstall.ts'),
  },
  'pool base': {
    summary: 'build a minimal Debian that pools can be made from; once',
    load: () => import('./pool/base.ts'),
  },
  'pool create': {
    summary: 'a pool of VMs from one image, and its first instances',
    load: () => import('./pool/create.ts'),
  },
  'pool list': {
    summary: 'the pools of this machine',
    load: () => import('./pool/list.ts'),
  },
  'pool show': {
    summary: 'the recipe of a pool, and how its instances are',
    load: () => import('./pool/show.ts'),
  },
  'pool scale': {
    summary: 'new instances from the recipe as it is now, or fewer',
    load: () => import('./pool/scale.ts'),
  },
  'pool set': {
    summary: 'what the metadata service tells instances',
    load: () => import('./pool/set.ts'),
  },
  'pool delete': {
    summary: 'a pool with its instances and their disks',
    load: () => import('./pool/delete.ts'),
  },
  'pool start': {
    summary: 'boot a stopped instance again',
    load: () => import('./pool/start.ts'),
  },
  'pool stop': {
    summary: 'shut an instance down; its disk stays',
    load: () => import('./pool/stop.ts'),
  },
  'pool reimage': {
    summary: 'give an instance a new disk from the recipe as it is now',
    load: () => import('./pool/reimage.ts'),
  },
  'pool logs': {
    summary: 'what a guest wrote on its console',
    load: () => import('./pool/logs.ts'),
  },
  'pool ssh': {
    summary: 'a shell in a guest',
    load: () => import('./pool/ssh.ts'),
  },
  'pool exec': {
    summary: 'run a program in a guest, through its agent',
    load: () => import('./pool/exec.ts'),
  },
  ...NODE_VERBS,
  'image check': {
    summary: 'is a manifest right, and does what is in it fit together',
    load: () => import('./image/check.ts'),
  },
  'image schema': {
    summary: 'the JSON Schema of a manifest',
    load: () => import('./image/schema.ts'),
  },
  'image lock': {
    summary: 'which bytes exactly: packages, programs and images with their sha256',
    load: () => import('./image/lock.ts'),
  },
  'image update': {
    summary: 'what is newer, as far as each component may be updated',
    load: () => import('./image/update.ts'),
  },
  'image build': {
    summary: 'disks from a lock, without a VM; the same lock gives the same bytes',
    load: () => import('./image/build.ts'),
  },
  'image test': {
    summary: 'boot a built image, look at it from inside, hold its boot to a budget',
    load: () => import('./image/test.ts'),
  },
  'image diff': {
    summary: 'what changed between two locks; release notes',
    load: () => import('./image/diff.ts'),
  },
  'image hotfix': {
    summary: 'a lock of the same base with only what is named changed',
    load: () => import('./image/hotfix.ts'),
  },
  'image publish': {
    summary: 'a tested image into a gallery, here or on Azure',
    load: () => import('./image/publish.ts'),
  },
  'image promote': {
    summary: 'a published version into a channel; nothing is built again',
    load: () => import('./image/promote.ts'),
  },
  'image list': {
    summary: 'which versions are where, in which channel, tested or not',
    load: () => import('./image/list.ts'),
  },
  'cluster up': {
    summary: 'start what of a control plane is not running',
    load: () => import('./cluster/up.ts'),
  },
  'cluster status': {
    summary: 'its programs, and the nodes that joined it',
    load: () => import('./cluster/status.ts'),
  },
  'cluster token': {
    summary: 'a short-lived token with which a node may join',
    load: () => import('./cluster/token.ts'),
  },
  'cluster node-config': {
    summary: 'the user data with which nodes of an image join it',
    load: () => import('./cluster/node-config.ts'),
  },
  'cluster down': {
    summary: 'stop it; what it knows stays, unless asked otherwise',
    load: () => import('./cluster/down.ts'),
  },
  'sim azure': {
    summary: 'a local Azure to try the prototype verbs against',
    load: () => import('./sim-azure.ts'),
  },
  'sim imds': {
    summary: 'the metadata service and wire server of one instance, good or bad',
    load: () => import('./sim-imds.ts'),
  },
  completion: {
    summary: 'print a completion script for bash, zsh or fish',
    load: () => import('./completion.ts'),
  },
};

/** Runs one command line and gives its exit code; never throws for a user's mistake. */
export function main(given: string[], edges: Edges): Promise<number> {
  return runProgram({ groups: GROUPS, verbs: VERBS, version, examples: EXAMPLES }, asSystemdAnalyze(given), edges);
}

const EXAMPLES = ['boot collect -o boot.tar.gz', 'boot timeline -i boot.tar.gz'];

/** systemd-analyze takes options before its verb too, and means `time` where there is none. */
function asSystemdAnalyze(argv: string[]): string[] {
  const [boot, systemd, ...rest] = argv;
  const isOption = rest[0]?.startsWith('-') && !/^(?:-h|--help|--)$/.test(rest[0]);
  if (boot !== 'boot' || systemd !== 'systemd' || !isOption) return argv;
  const at = rest.findIndex((word) => VERBS[`boot systemd ${word}`]);
  return at < 0 ? [boot, systemd, 'time', ...rest] : [boot, systemd, rest[at]!, ...rest.toSpliced(at, 1)];
}

function version(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
