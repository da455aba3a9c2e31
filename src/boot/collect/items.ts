// boot/collect/items.ts: what is taken from a machine to explain its boot? One list, for this machine and for one over ssh.
import type { Argv } from '../../base/command.ts';

export type CollectItem = CommandItem | FileItem;

interface ItemBase {
  timeoutMs: number;
  maxBytes: number;
  /** Without any of the items that tell, there is no boot to speak of. */
  describesBoot: boolean;
}

export interface CommandItem extends ItemBase {
  kind: 'command';
  /** The member's name in the bundle. */
  name: string;
  /** The first that works is taken: older releases lack newer options. */
  tries: readonly Argv[];
}

export interface FileItem extends ItemBase {
  kind: 'file';
  /** `*` stands for part of one path segment. The member's name is the path of the file found. */
  pattern: string;
  /** end: a log, of which the newest part counts · none: half of it is of no use. */
  keep: 'end' | 'none';
}

const MiB = 1 << 20;

const UNIT_PROPERTIES =
  'Id,Names,Description,LoadState,ActiveState,SubState,Type,Result,ConditionResult,ConditionTimestampMonotonic,' +
  'InactiveExitTimestamp,InactiveExitTimestampMonotonic,ActiveEnterTimestamp,ActiveEnterTimestampMonotonic,' +
  'ActiveExitTimestamp,ActiveExitTimestampMonotonic,InactiveEnterTimestamp,InactiveEnterTimestampMonotonic,' +
  'After,Before,Requires,Requisite,BindsTo,Wants,Conflicts,Upholds';

const JOURNAL_FIELDS =
  'MESSAGE,MESSAGE_ID,PRIORITY,SYSLOG_IDENTIFIER,SYSLOG_PID,UNIT,USER_UNIT,UNIT_RESULT,JOB_ID,JOB_TYPE,JOB_RESULT,' +
  'INVOCATION_ID,KERNEL_USEC,INITRD_USEC,USERSPACE_USEC,_PID,_BOOT_ID,_HOSTNAME,_MACHINE_ID,_SYSTEMD_UNIT,_TRANSPORT,' +
  '_SOURCE_MONOTONIC_TIMESTAMP,_SOURCE_REALTIME_TIMESTAMP';

/** Whose messages are part of the story. All others may hold anything, and are not asked for. */
const JOURNAL_MATCHES = [
  '_TRANSPORT=kernel',
  '_PID=1',
  'SYSLOG_IDENTIFIER=kubelet',
  'SYSLOG_IDENTIFIER=cloud-init',
  ...['kubelet', 'walinuxagent', 'waagent', 'aks-node-controller', 'cloud-init', 'cloud-init-local'].map(unitMatch),
  ...['cloud-init-network', 'cloud-init-main', 'cloud-config', 'cloud-final'].map(unitMatch),
];

function unitMatch(name: string): string {
  return `_SYSTEMD_UNIT=${name}.service`;
}

/** `boot` counts as journalctl does (0, -1 …) or is a boot id. Of an earlier boot only the journal still knows. */
export function itemsFor(boot: string): CollectItem[] {
  return boot === '0' ? [...THIS_BOOT, journalItem(boot), ...FILES] : [journalItem(boot)];
}

/** Stands for the machine's own name in an argument, where it is not known yet. */
export const THIS_HOST = '@this-host@';

/** The Node as the API server has it, asked with the kubelet's own credentials. */
export function nodeObjectItem(hostname: string): CommandItem {
  const kubeconfigs = ['/var/lib/kubelet/kubeconfig', '/etc/kubernetes/kubelet.conf'];
  const ask = ['get', 'node', hostname.toLowerCase(), '-o', 'json', '--request-timeout=10s'];
  return command(
    'kubernetes-node.json',
    ...kubeconfigs.map((path): Argv => ['kubectl', `--kubeconfig=${path}`, ...ask]),
  );
}

const SHOW_UNITS = ['systemctl', 'show', '*', '--all', '--no-pager', `--property=${UNIT_PROPERTIES}`] as const;

const THIS_BOOT: readonly CollectItem[] = [
  describingBoot(
    command(
      'systemctl-show-manager.txt',
      ['systemctl', 'show', '--no-pager', '--timestamp=us+utc'],
      ['systemctl', 'show', '--no-pager'],
    ),
  ),
  // A thousand units of a node that is still busy starting take their time.
  {
    ...describingBoot(command('systemctl-show-units.txt', [...SHOW_UNITS, '--timestamp=us+utc'], SHOW_UNITS)),
    timeoutMs: 60_000,
  },
  command('uname.txt', ['uname', '-a']),
  command('dmesg.txt', ['dmesg']),
];

function journalItem(boot: string): CommandItem {
  const argv: Argv = [
    ...(['journalctl', `--boot=${boot}`, '--output=json', '--no-pager', '--quiet'] as const),
    `--output-fields=${JOURNAL_FIELDS}`,
    ...JOURNAL_MATCHES.flatMap((match, i) => (i === 0 ? [match] : ['+', match])),
  ];
  return { ...describingBoot(command('journal.json', argv)), timeoutMs: 60_000, maxBytes: 64 * MiB };
}

/**
 * Never the user data of an instance, nor instance-data-sensitive.json: they are secrets as a whole, and no boot is
 * explained by them.
 */
const FILES: readonly CollectItem[] = [
  file('/proc/sys/kernel/random/boot_id'),
  file('/proc/uptime'),
  file('/etc/os-release'),
  describingBoot(file('/var/log/cloud-init.log*', 32 * MiB)),
  file('/run/cloud-init/status.json'),
  file('/run/cloud-init/result.json'),
  file('/run/cloud-init/instance-data.json'),
  { ...describingBoot(file('/var/lib/hyperv/.kvp_pool_1', 8 * MiB)), keep: 'none' },
  describingBoot(json('/var/log/azure/*/events/*.json')),
  describingBoot(json('/var/log/azure/*/*/events/*.json')),
  describingBoot(json('/var/log/azure/aks/provision.json')),
  describingBoot(json('/opt/azure/containers/provision.json')),
  json('/run/headstart/steps.json'),
  file('/var/log/waagent.log', 4 * MiB),
];

function command(name: string, ...tries: Argv[]): CommandItem {
  return { kind: 'command', name, tries, timeoutMs: 20_000, maxBytes: 32 * MiB, describesBoot: false };
}

function file(pattern: string, maxBytes = MiB): FileItem {
  return { kind: 'file', pattern, keep: 'end', timeoutMs: 10_000, maxBytes, describesBoot: false };
}

function json(pattern: string): FileItem {
  return { ...file(pattern, 4 * MiB), keep: 'none' };
}

function describingBoot<T extends CollectItem>(item: T): T {
  return { ...item, describesBoot: true };
}
