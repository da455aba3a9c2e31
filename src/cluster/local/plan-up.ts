// cluster/local/plan-up.ts: what is there still to do until a local cluster is up? Pure; --dry-run prints this, and `up` does it.
import { UserError } from '../../base/errors.ts';
import { type ClusterRecord, PORT_NAMES, type Ports } from './cluster-files.ts';
import { SERVERS, type Server } from './server-flags.ts';

export type PortName = keyof Ports;

export interface Seen {
  name: string;
  record: ClusterRecord | undefined;
  running: ReadonlySet<Server>;
  /** Of those that are remembered: others listen there, and not the server that they are for. */
  takenPorts: ReadonlySet<PortName>;
  /** Certificates that are missing, damaged or about to expire. */
  certificates: readonly string[];
  /** That the API server is to have. */
  wantedPort?: { port: number; isFree: boolean };
}

export type UpStep =
  | { do: 'take-ports'; names: readonly PortName[] }
  | { do: 'stop'; server: Server }
  | { do: 'certify'; names: readonly string[] }
  | { do: 'start'; server: Server }
  | { do: 'let-nodes-join' };

/** Who has to be started again when somebody else listens elsewhere. */
const CALLERS: Partial<Record<PortName, readonly Server[]>> = {
  etcd: ['kube-apiserver'],
  'kube-apiserver': ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
};

export function planUp(seen: Seen): UpStep[] {
  const moving = portsToTake(seen);
  const stale = new Set(seen.record ? moving.flatMap((name) => CALLERS[name] ?? []) : []);
  const stopping = SERVERS.toReversed().filter((server) => seen.running.has(server) && stale.has(server));
  const starting = SERVERS.filter((server) => !seen.running.has(server) || stale.has(server));
  return [
    // Before it is written down where they are to ask from now on: cut off between the two, nobody asks at the wrong place.
    ...stopping.map((server) => ({ do: 'stop' as const, server })),
    ...(moving.length > 0 ? [{ do: 'take-ports' as const, names: moving }] : []),
    ...(seen.certificates.length > 0 ? [{ do: 'certify' as const, names: seen.certificates }] : []),
    ...starting.map((server) => ({ do: 'start' as const, server })),
    ...(seen.record?.isJoinable ? [] : [{ do: 'let-nodes-join' as const }]),
  ];
}

function portsToTake({ name, record, takenPorts, wantedPort }: Seen): readonly PortName[] {
  const known = record?.ports['kube-apiserver'];
  const isMoved = wantedPort !== undefined && wantedPort.port !== known;
  if (isMoved && !wantedPort.isFree) throw portTaken(name, wantedPort.port, 'or give another with --port');
  if (known === undefined) return PORT_NAMES;
  // Pools, kubeconfigs that were copied, nodes: too many know it to move it unasked.
  if (!isMoved && takenPorts.has('kube-apiserver'))
    throw portTaken(name, known, 'or give the cluster another port with --port');
  return PORT_NAMES.filter((one) => (one === 'kube-apiserver' ? isMoved : takenPorts.has(one)));
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
      return `stop ${step.server}, which would go on asking at the old port`;
    case 'certify':
      return `make certificates: ${step.names.join(', ')}`;
    case 'start':
      return `start ${step.server}`;
    case 'let-nodes-join':
      return 'let nodes with a bootstrap token ask for a certificate';
  }
}
