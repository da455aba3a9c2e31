// boot/collect/items.ts: what is collected from a machine to explain its boot? One list, for local and ssh collection.
import type { Argv } from '../../base/command.ts';

export type CollectItem = CommandItem | FileItem;

interface ItemBase {
  timeoutMs: number;
  maxBytes: number;
  /** At least one item with this flag must be collected; otherwise there is no boot to analyse. */
  describesBoot: boolean;
}

export interface CommandItem extends ItemBase {
  kind: 'command';
  /** The member's name in the bundle. */
  name: string;
  /** The first command that works is used: older releases lack newer options. */
  tries: readonly Argv[];
}

export interface FileItem extends ItemBase {
  kind: 'file';
  /** `*` matches within one path segment. The member's name is the path of the file. */
  pattern: string;
  /** For a file over the size limit: end = keep its newest part (a log) · none = skip it (useless if incomplete). */
  keep: 'end' | 'none';
}

const MiB = 1 << 20;

const UNIT_PROPERTIES =
  'Id,Names,Description,LoadState,ActiveState,SubState,Type,Result,ConditionResult,ConditionTimestampMonotonic,' +
  'InactiveExitTimestamp,InactiveExitTimestampMonotonic,ActiveEnterTimestamp,ActiveEnterTimestampMonotonic,' +
  'ActiveExitTimestamp,ActiveExitTimestampMonotonic,InactiveEnterTimestamp,InactiveEnterTimestampMonotonic,' +
  'After,Before,Requires,Requisite,BindsTo,Wants,Conflicts,Upholds,TriggeredBy,Triggers,' +
  'CPUUsageNSec,IOReadBytes,IOWriteBytes,MemoryPeak,JobRunningTimeoutUSec';

const JOURNAL_FIELDS =
  'MESSAGE,MESSAGE_ID,PRIORITY,SYSLOG_IDENTIFIER,SYSLOG_PID,UNIT,USER_UNIT,UNIT_RESULT,JOB_ID,JOB_TYPE,JOB_RESULT,' +
  'INVOCATION_ID,KERNEL_USEC,INITRD_USEC,USERSPACE_USEC,_PID,_BOOT_ID,_HOSTNAME,_MACHINE_ID,_SYSTEMD_UNIT,_TRANSPORT,' +
  '_SOURCE_MONOTONIC_TIMESTAMP,_SOURCE_REALTIME_TIMESTAMP';

/** Only messages of these writers are collected: others do not explain the boot and may contain anything. */
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

/** `boot` is a number as in journalctl (0, -1 …) or a boot id. Only the journal has data of earlier boots. */
export function itemsFor(boot: string): CollectItem[] {
  return boot === '0' ? [...THIS_BOOT, journalItem(boot), ...FILES] : [journalItem(boot)];
}

/** Placeholder for a machine name that is not known yet. */
export const THIS_HOST = '@this-host@';

/** Gets the Node from the API server with kubelet's credentials. */
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
  // Listing a thousand units is slow on a node that is still starting.
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
 * Never the user data of an instance or instance-data-sensitive.json: they are secret as a whole and do not help to
 * explain a boot.
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
