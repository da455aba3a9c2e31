// cluster/local/plan-up.ts: which steps are left until a local cluster is up and matches this version of headstart? Pure; `up` applies
// the steps and --dry-run prints them.
import { UserError } from '../../base/errors.ts';
import type { ClusterRecord } from './cluster-files.ts';
import { PORT_NAMES, type Ports } from './port-names.ts';
import { KUBE_SERVERS, SERVERS, type Server } from './server-flags.ts';
import { checkUpgrade } from './upgrade.ts';

export type PortName = keyof Ports;

export interface PlaneState {
  name: string;
  record: ClusterRecord | undefined;
  /** The wanted version, and the folder of its programs. */
  wanted: { kubernetes: string; programs: string };
  running: ReadonlySet<Server>;
  /** Running servers whose arguments differ from those they would get now. */
  withOtherArguments: ReadonlySet<Server>;
  /** Files with outdated content, each with the server that reads it at start. */
  settings: readonly { file: string; reader?: Server }[];
  /** Recorded ports on which another program listens. */
  takenPorts: ReadonlySet<PortName>;
  /** Certificates that are missing, damaged or about to expire. */
  certificates: readonly string[];
  /** Missing or wrong role bindings; undefined: the API server is not ready. */
  bindings: readonly string[] | undefined;
  /** The port that the user wants for the API server. */
  wantedPort?: {
    port: number;
    isFree: boolean;
    /** Another cluster that has this port, running or not. */
    owner?: string;
  };
}

export type UpStep =
  | { do: 'take-ports'; names: readonly PortName[] }
  | { do: 'stop'; server: Server; because: Reason }
  | { do: 'use-programs'; kubernetes: string; programs: string; before: string }
  | { do: 'certify'; names: readonly string[] }
  | { do: 'write-settings'; files: readonly string[] }
  | { do: 'start'; server: Server }
  | { do: 'let-nodes-join' };

/** Why a running server has to be restarted. */
type Reason = keyof typeof REASONS;
const REASONS = {
  version: 'has another version',
  programs: 'comes from another folder',
  port: 'would still use the old port',
  arguments: 'runs with outdated arguments',
  settings: 'has read outdated settings',
} as const;

/** Servers to restart when the port of another one changes. */
const CALLERS: Partial<Record<PortName, readonly Server[]>> = {
  etcd: ['kube-apiserver'],
  'kube-apiserver': ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
};

export function planUp(seen: PlaneState): UpStep[] {
  const { record, running, certificates, settings } = seen;
  if (record) checkUpgrade(seen.name, record.kubernetes, seen.wanted.kubernetes);
  const moving = portsToTake(seen);
  const stale = staleServers(seen, moving);
  const stopping = SERVERS.toReversed().filter((server) => running.has(server) && stale.has(server));
  const starting = SERVERS.filter((server) => !running.has(server) || stale.has(server));
  return [
    // Stop first, then write: after a crash in between, no server runs with old settings while the files look up to date.
    ...stopping.map((server) => ({ do: 'stop' as const, server, because: stale.get(server)! })),
    ...(record && isMovedTo(seen, record)
      ? [{ do: 'use-programs' as const, ...seen.wanted, before: record.kubernetes }]
      : []),
    ...(moving.length > 0 ? [{ do: 'take-ports' as const, names: moving }] : []),
    ...(certificates.length > 0 ? [{ do: 'certify' as const, names: certificates }] : []),
    ...(settings.length > 0 ? [{ do: 'write-settings' as const, files: settings.map(({ file }) => file) }] : []),
    ...starting.map((server) => ({ do: 'start' as const, server })),
    ...(!record || (seen.bindings?.length ?? 0) > 0 ? [{ do: 'let-nodes-join' as const }] : []),
  ];
}

const isMovedTo = ({ wanted }: PlaneState, { kubernetes, programs }: ClusterRecord) =>
  wanted.kubernetes !== kubernetes || wanted.programs !== programs;

/** Servers to restart, each with one reason. */
function staleServers(
  { record, wanted, running, withOtherArguments, settings }: PlaneState,
  moving: readonly PortName[],
) {
  const because = (reason: Reason) => (server: Server) => [server, reason] as const;
  // The record was removed, so the running servers cannot have the right arguments.
  if (!record) return new Map<Server, Reason>([...running].map(because('arguments')));
  const readers = settings.flatMap(({ reader }) => (reader ? [reader] : []));
  // A later entry replaces an earlier one of the same server.
  return new Map<Server, Reason>([
    ...readers.map(because('settings')),
    ...[...withOtherArguments].map(because('arguments')),
    ...moving.flatMap((name) => CALLERS[name] ?? []).map(because('port')),
    ...(wanted.programs === record.programs ? [] : KUBE_SERVERS.map(because('programs'))),
    ...(wanted.kubernetes === record.kubernetes ? [] : KUBE_SERVERS.map(because('version'))),
  ]);
}

function portsToTake({ name, record, takenPorts, wantedPort }: PlaneState): readonly PortName[] {
  const known = record?.ports['kube-apiserver'];
  const isMoved = wantedPort !== undefined && wantedPort.port !== known;
  if (isMoved) checkWantedPort(name, record, wantedPort);
  if (known === undefined) return PORT_NAMES;
  // Pools, copied kubeconfigs and nodes contain this port, so it never changes without a request.
  if (!isMoved && takenPorts.has('kube-apiserver'))
    throw portTaken(name, known, 'or give the cluster another port with --port');
  return PORT_NAMES.filter((one) => (one === 'kube-apiserver' ? isMoved : takenPorts.has(one)));
}

function checkWantedPort(
  name: string,
  record: ClusterRecord | undefined,
  { port, isFree, owner }: NonNullable<PlaneState['wantedPort']>,
): void {
  const own = PORT_NAMES.find((one) => record?.ports[one] === port);
  const whose = own ? `used by its own ${own}` : owner && `reserved by cluster ${owner}, running or not`;
  if (whose) {
    throw new UserError(`the API server of cluster ${name} cannot use port ${port}: it is ${whose}`, {
      code: 'cluster/port-taken',
      kept: 'Nothing was changed.',
      next: 'give another port with --port',
      exitCode: 1,
    });
  }
  if (!isFree) throw portTaken(name, port, 'or give another port with --port');
}

function portTaken(name: string, port: number, instead: string): UserError {
  return new UserError(`another program listens on 127.0.0.1:${port}, the port for the API server of cluster ${name}`, {
    code: 'cluster/port-taken',
    kept: 'Nothing was changed.',
    next: `stop that program (\`ss -ltnp sport = :${port}\` names it), ${instead}`,
    exitCode: 1,
  });
}

/** A phrase that can follow "would". */
export function describeStep(step: UpStep): string {
  switch (step.do) {
    case 'take-ports':
      return `take a free port on 127.0.0.1 for ${step.names.join(', ')}`;
    case 'stop':
      return `stop ${step.server}, which ${REASONS[step.because]}`;
    case 'use-programs':
      return step.before === step.kubernetes
        ? `run the programs from ${step.programs} from now on`
        : `upgrade from Kubernetes ${step.before} to ${step.kubernetes}`;
    case 'certify':
      return `create certificates: ${step.names.join(', ')}`;
    case 'write-settings':
      return `rewrite ${step.files.join(', ')}`;
    case 'start':
      return `start ${step.server}`;
    case 'let-nodes-join':
      return 'let nodes with a bootstrap token request a certificate';
  }
}
