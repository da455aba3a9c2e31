// cluster/local/plan-up.ts: what is there still to do until a local cluster is up, and as this version of us would have it? Pure; --dry-run
// prints this, and `up` does it.
import { UserError } from '../../base/errors.ts';
import type { ClusterRecord } from './cluster-files.ts';
import { PORT_NAMES, type Ports } from './port-names.ts';
import { KUBE_SERVERS, SERVERS, type Server } from './server-flags.ts';
import { checkUpgrade } from './upgrade.ts';

export type PortName = keyof Ports;

export interface PlaneState {
  name: string;
  record: ClusterRecord | undefined;
  /** That it is to be of from now on, and the folder they are in. */
  wanted: { kubernetes: string; programs: string };
  running: ReadonlySet<Server>;
  /** Of those that run: told something else than they would be now. */
  withOtherArguments: ReadonlySet<Server>;
  /** Files that are not what would be written, each with the server that reads it when it starts. */
  settings: readonly { file: string; reader?: Server }[];
  /** Of those that are remembered: others listen there, and not the server that they are for. */
  takenPorts: ReadonlySet<PortName>;
  /** Certificates that are missing, damaged or about to expire. */
  certificates: readonly string[];
  /** Roles that are not bound as they should be; undefined: the API server cannot be asked. */
  bindings: readonly string[] | undefined;
  /** That the API server is to have. */
  wantedPort?: {
    port: number;
    isFree: boolean;
    /** Another cluster, which may not run now. */
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

/** Why what runs has to be started again. */
type Reason = keyof typeof REASONS;
const REASONS = {
  version: 'is of another version',
  programs: 'comes from another folder',
  port: 'would go on asking at the old port',
  arguments: 'was told something else than it would be now',
  settings: 'has read settings that are to change',
} as const;

/** Who has to be started again when somebody else listens elsewhere. */
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
    // Before anything is written down: cut off between the two, nobody goes on as before while it looks as if all were done.
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

/** Each with one reason. */
function staleServers(
  { record, wanted, running, withOtherArguments, settings }: PlaneState,
  moving: readonly PortName[],
) {
  const because = (reason: Reason) => (server: Server) => [server, reason] as const;
  // Somebody has removed the record: what they were told then cannot be what they are told now.
  if (!record) return new Map<Server, Reason>([...running].map(because('arguments')));
  const readers = settings.flatMap(({ reader }) => (reader ? [reader] : []));
  // The last one of a server counts.
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
  // Pools, kubeconfigs that were copied, nodes: too many know it to move it unasked.
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
  const whose = own ? `that of its own ${own}` : owner && `one of cluster ${owner}, whether that runs or not`;
  if (whose) {
    throw new UserError(`port ${port} cannot be that of the API server of cluster ${name}: it is ${whose}`, {
      code: 'cluster/port-taken',
      kept: 'Nothing was changed.',
      next: 'give another with --port',
      exitCode: 1,
    });
  }
  if (!isFree) throw portTaken(name, port, 'or give another with --port');
}

function portTaken(name: string, port: number, instead: string): UserError {
  return new UserError(`another program listens on 127.0.0.1:${port}, the port for the API server of cluster ${name}`, {
    code: 'cluster/port-taken',
    kept: 'Nothing was changed.',
    next: `end that program (\`ss -ltnp sport = :${port}\` names it), ${instead}`,
    exitCode: 1,
  });
}

/** As a person would say it after "would". */
export function describeStep(step: UpStep): string {
  switch (step.do) {
    case 'take-ports':
      return `take a free port on 127.0.0.1 for ${step.names.join(', ')}`;
    case 'stop':
      return `stop ${step.server}, which ${REASONS[step.because]}`;
    case 'use-programs':
      return step.before === step.kubernetes
        ? `run the programs from ${step.programs} from now on`
        : `go from Kubernetes ${step.before} to ${step.kubernetes}`;
    case 'certify':
      return `make certificates: ${step.names.join(', ')}`;
    case 'write-settings':
      return `write ${step.files.join(', ')} anew`;
    case 'start':
      return `start ${step.server}`;
    case 'let-nodes-join':
      return 'let nodes with a bootstrap token ask for a certificate';
  }
}
