// cli/boot/collect.ts: `headstart boot collect`: collects the data of a boot into one file, from this machine, over ssh, from a node of a cluster, or from a local VM.
import { Option } from 'commander';
import { runCommand } from '../../base/command.ts';
import { parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { sshProgram } from '../../base/ssh-program.ts';
import { type BootCollection, bundleName, bundleOf } from '../../boot/collect/bundle.ts';
import { collectBoot, interrupted, requireBoot, validBoot } from '../../boot/collect/collect.ts';
import type { CollectResult } from '../../boot/collect/collect-result.ts';
import { type CollectItem, itemsFor, nodeObjectItem, THIS_HOST } from '../../boot/collect/items.ts';
import { collectRemote, sshCommand } from '../../boot/collect/remote.ts';
import { collectInstance } from '../../local/collect-instance.ts';
import { type ReadClusterEvents, readLocalClusterEvents } from '../../local/read-cluster-events.ts';
import {
  type NodeReaderOptions,
  type OpenNodeReader,
  openNodeReader,
  readerHelper,
} from '../compose/open-node-reader.ts';
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { SHARED_GROUPS } from '../help.ts';
import { writeAnswerFile } from '../output/answer-file.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/table.ts';
import { homeFolder, withHomeOption } from '../pool/home.ts';
import type { CliDeps, Verb } from '../verb.ts';

interface Options extends NodeReaderOptions {
  node?: string;
  timeout: string;
  output?: string;
  host?: string;
  instance?: string;
  home?: string;
  sudo?: boolean;
  boot?: string;
  nodeObject?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export const verb = bootCollect(openPools);

export function bootCollect(
  open: OpenPools,
  readClusterEvents?: ReadClusterEvents,
  openNode: OpenNodeReader = openNodeReader,
): Verb {
  return {
    examples: [
      'boot collect',
      'boot collect --host azureuser@10.0.0.4 --sudo -o slow-node.tar.gz',
      'boot collect --node aks-pool1-12345678-vmss000000',
    ],
    notes:
      '--node creates a pod on that node that mounts its root file system read-only, reads it, and is removed again, also\n' +
      'after a failure or Ctrl-C. It needs the rights to get nodes, to get, create and delete pods and to read their log in\n' +
      'the namespace, and an image with nsenter. It adds the Node object, which says when the node became Ready.',
    configure(command) {
      withHomeOption(command)
        .option('-o, --output <FILE>', 'the bundle to write; default: boot-HOST-DATE-TIME.tar.gz')
        .option('-H, --host <USER@HOST>', 'collect from another machine over ssh; that machine needs only a shell')
        .addOption(
          new Option(
            '--instance <NAME>',
            'collect from a VM of a local pool through its guest agent; adds the time when the VM was started',
          ).conflicts(['host', 'sudo']),
        )
        .addOption(
          new Option('--node <NAME>', 'collect from a node of the cluster through a short-lived pod; no ssh').conflicts(
            ['host', 'instance', 'sudo', 'nodeObject'],
          ),
        )
        .option('--timeout <SPAN>', 'with --node: how long the pod may take', '5min')
        .option('--sudo', 'with --host: read as root; sudo must not ask for a password there')
        .option(
          '-b, --boot <N|ID>',
          'an earlier boot, from the journal only: -1 for the previous one, or a boot id',
          '0',
        )
        .option(
          '--node-object',
          "also read the machine's Node object from the API server, with the kubelet's credentials",
        )
        .optionsGroup(SHARED_GROUPS.cluster)
        .option('--kubeconfig <FILE>', 'with --node: the kubeconfig; default: KUBECONFIG, else ~/.kube/config')
        .option('--context <NAME>', 'the context of the kubeconfig')
        .option('-n, --namespace <NAME>', 'the namespace of the pod; it must allow host paths', 'kube-system')
        .option('--helper-image <IMAGE>', 'the image of the pod; default: HEADSTART_HELPER_IMAGE, else busybox:stable')
        .option('--helper-pull-secret <NAMES>', 'pull secrets of the pod, in its namespace, separated by commas')
        .optionsGroup('')
        .option('--dry-run', 'print what would be read and written, and do nothing')
        .option('--json', 'print one JSON document: what was collected and what was not');
    },
    async run(_args, options: Options, deps) {
      const boot = validBoot(options.boot);
      if (options.dryRun) return printPlan(options, boot, deps);
      if (options.host !== undefined) sshCommand(options.host, []); // throws on an invalid name before anything is printed or run
      const where = options.node ?? options.instance ?? options.host ?? 'this machine';
      const how = options.node === undefined ? '' : ` through ${describePod(options, deps)}; it is removed afterwards`;
      deps.stderr(`collecting from ${where}${how} ...\n`);
      const collected = await collect(options, boot, deps, { open, readClusterEvents, openNode });
      if (deps.signal().aborted) throw interrupted();
      requireBoot(collected, boot, where);
      const { collection, bytes } = await bundleOf(collected, { boot, nowUs: deps.nowUs() });
      const path = options.output ?? bundleName(collected.hostname, deps.nowUs());
      writeAnswerFile(path, bytes, 'boot/output-unwritable', 'private');
      reportCollection(collection, path, bytes.length, deps);
      const { apiVersion: _, kind, ...body } = collection;
      if (options.json) printJson(deps, kind, { path, bytes: bytes.length, ...body });
      else deps.stdout(`${path}\n`);
    },
  };
}

interface CollectDeps {
  open: OpenPools;
  readClusterEvents: ReadClusterEvents | undefined;
  openNode: OpenNodeReader;
}

function describePod(options: Options, { env }: CliDeps): string {
  return `a read-only pod in namespace ${options.namespace} with image ${readerHelper(options, env).image}`;
}

function timeoutOf({ timeout }: Options): number {
  const us = parseSpan(timeout);
  if (us) return Math.ceil(us / 1000);
  throw new UserError(`--timeout ${timeout}: not a time span`, {
    code: 'cli/usage',
    next: 'write for example --timeout 10min',
  });
}

async function collect(
  options: Options,
  boot: string,
  deps: CliDeps,
  collectDeps: CollectDeps,
): Promise<CollectResult> {
  const { host, instance, sudo, nodeObject } = options;
  const signal = deps.signal();
  if (options.node !== undefined) {
    const deadlineMs = timeoutOf(options);
    const { collectNode } = await import('./collect-node.ts');
    const reader = await collectDeps.openNode(options, deps);
    return collectNode(reader, options.node, { boot, items: itemsFor(boot), deadlineMs, signal });
  }
  if (instance !== undefined) {
    const provider = await collectDeps.open(options, deps);
    const readClusterEvents = collectDeps.readClusterEvents ?? readLocalClusterEvents(homeFolder(options, deps.env));
    return collectInstance(provider, instance, { boot, items: itemsWith(boot, nodeObject), readClusterEvents, signal });
  }
  if (host === undefined) {
    const machine = { run: runCommand, root: deps.env.HEADSTART_ROOT ?? '', env: deps.env, signal };
    return collectBoot(machine, { boot, nodeObject: nodeObject === true });
  }
  const items = itemsWith(boot, nodeObject);
  return collectRemote({ host, items, run: runCommand, sudo: sudo === true, signal, env: deps.env });
}

function itemsWith(boot: string, nodeObject: boolean | undefined): CollectItem[] {
  return nodeObject ? [...itemsFor(boot), nodeObjectItem(THIS_HOST)] : itemsFor(boot);
}

function printPlan(options: Options, boot: string, deps: CliDeps): void {
  const { host, instance, sudo, nodeObject, output, json } = options;
  const ssh =
    host === undefined
      ? undefined
      : sshCommand(host, sudo ? ['sudo', '-n', 'sh', '-s'] : ['sh', '-s'], sshProgram(deps.env));
  const items = itemsWith(boot, nodeObject);
  const commands = items.flatMap((item) => (item.kind === 'command' ? [item.tries[0]!.join(' ')] : []));
  const files = items.flatMap((item) => (item.kind === 'file' ? [item.pattern] : []));
  const target = output ?? bundleName(options.node ?? instance ?? host?.replace(/^.*@/, '') ?? 'HOST', deps.nowUs());
  if (json) {
    printJson(deps, 'BootCollectionPlan', {
      ...(ssh && { ssh }),
      ...(instance !== undefined && { instance }),
      ...(options.node !== undefined && { node: options.node, pod: describePod(options, deps) }),
      commands,
      files,
      output: target,
    });
    return;
  }
  if (ssh) deps.stdout(`over: ${ssh.join(' ')}\n`);
  if (instance !== undefined) deps.stdout(`over: the guest agent of ${instance}\n`);
  if (options.node !== undefined) deps.stdout(`over: ${describePod(options, deps)} on ${options.node}\n`);
  for (const command of commands) deps.stdout(`run:  ${command}\n`);
  for (const file of files) deps.stdout(`read: ${file}\n`);
  deps.stdout(`then: remove tokens, keys, passwords and custom data, write ${target} (mode 0600)\n`);
}

function reportCollection({ taken, missed }: BootCollection, path: string, size: number, deps: CliDeps): void {
  const lines = [
    ...taken.map(({ name, bytes, note }) => `took    ${name} (${bytes} bytes${note ? `, ${note}` : ''})`),
    ...missed.map(({ name, why }) => `without ${name}: ${why}`),
    `wrote ${path}: ${taken.length} taken, ${missed.length} missing, ${Math.ceil(size / 1024)} KiB`,
  ];
  for (const line of lines) deps.stderr(`${printable(line)}\n`); // parts of it come from the remote machine
}
