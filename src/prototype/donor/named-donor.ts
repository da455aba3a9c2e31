// prototype/donor/named-donor.ts: is a donor that the operator named good enough? The same reasons as for a chosen one.
import type { Version } from '../../vms/gallery.ts';
import type { ListedInstance } from '../../vms/pools.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import { TAGS } from '../names.ts';
import type { Refusal } from '../run/preflight.ts';
import { isSameMachine } from '../run/same-machine.ts';
import type { Objection } from './candidates.ts';

/** What the operator accepts in a donor. */
export interface AcceptedFaults {
  mayBeUnpatched: boolean;
  mayBeUnfit?: boolean;
}

/** Whether an objection does not count, because the operator accepts it. */
export function isAccepted({ kind }: Objection, { mayBeUnpatched, mayBeUnfit = false }: AcceptedFaults): boolean {
  return (kind === 'unpatched' && mayBeUnpatched) || (kind === 'unfit' && mayBeUnfit);
}

/** What makes a donor impossible is left to the run's own checks. The operator may have cordoned it, to empty it first. */
export function namedRefusals(
  { node, pool }: { node: string; pool: string },
  objections: readonly Objection[],
  accepted: AcceptedFaults,
): Refusal[] {
  const others = `headstart prototype candidates --pool ${pool}`;
  const of = (kind: Objection['kind']) =>
    objections.filter((objection) => objection.kind === kind && !isAccepted(objection, accepted));
  const refuse = (kind: Objection['kind'], code: string, what: string, next: string): Refusal[] => {
    const reasons = of(kind).map(({ reason }) => reason);
    return reasons.length === 0
      ? []
      : [{ code: `prototype/${code}`, reason: `${node} ${what}: ${reasons.join('; ')}`, next }];
  };
  return [
    ...refuse(
      'own-node',
      'own-node',
      'cannot be the donor of this run',
      `run the command from another node or machine, or choose another donor: ${others}`,
    ),
    ...refuse('unfit', 'unfit-donor', 'is not fit to be a donor', `${others}, or give --allow-unfit`),
    ...refuse('unpatched', 'unpatched', 'is not patched', `${others}, or give --allow-unpatched`),
    ...refuse('unproven', 'unproven-donor', 'is not proven yet', `wait, or give --ready-for 0; ${others}`),
  ];
}

/** What an operator should know about a named donor, but no reason to refuse it. */
export function namedNotes(
  node: string,
  objections: readonly Objection[],
  { isOnLatestModel }: ListedInstance,
): string[] {
  return [
    ...(objections.some(({ kind }) => kind === 'cordoned') ? [`${node} is cordoned, and stays so after the run`] : []),
    ...(isOnLatestModel === false ? [`${node} is not on the latest model of its pool`] : []),
  ];
}

/** Whether a run has already copied this machine's disk for the version it would make now: then it stays in service. */
export function isCaptured(
  { node, vmId }: { node: string; vmId: string },
  { snapshot, versions, today }: { snapshot: Snapshot | undefined; versions: readonly Version[]; today: string },
): boolean {
  const isOf = (tags: Readonly<Record<string, string>>) =>
    tags[TAGS.donor] === node && isSameMachine(tags[TAGS.donorVmId] ?? vmId, vmId);
  const made = versions.filter(({ state }) => state !== 'failed');
  if (made.some(({ name, tags }) => name === today && isOf(tags))) return true;
  if (!snapshot || snapshot.state === 'failed' || !isOf(snapshot.tags)) return false;
  const version = snapshot.tags[TAGS.version];
  return version === today || made.some(({ name }) => name === version);
}
