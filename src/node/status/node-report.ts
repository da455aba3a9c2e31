// node/status/node-report.ts: how does the daemon report its status in the cluster? Annotations for programs, a
// condition for people and alerts, events for changes. Pure.
import type { Condition, NodeEvent } from '../api/own-node.ts';
import { headline, type NodeStatus } from './node-status.ts';

export interface NodeReport {
  annotations: Readonly<Record<string, string | null>>;
  condition: Omit<Condition, 'lastHeartbeatTime'>;
  /** Undefined for a phase that needs no event. */
  event: Omit<NodeEvent, 'time'> | undefined;
}

export const CONDITION = 'ConfigApplied';
const PREFIX = 'headstart.dev/config-';

/** Written by the program that changed the metadata; read by the watch. */
export const DESIRED_GENERATION = 'headstart.dev/desired-generation';
export const DESIRED_HASH = 'headstart.dev/desired-hash';

export function reportOf(status: NodeStatus): NodeReport {
  const { phase, code, active, assigned, lastKnownGood, since, notes } = status;
  const noted = notes.length > 0 ? `; ${notes.map((note) => `${note.detail} (${note.code})`).join('; ')}` : '';
  return {
    annotations: {
      [`${PREFIX}state`]: phase,
      [`${PREFIX}reason`]: code,
      [`${PREFIX}since`]: since,
      [`${PREFIX}generation`]: numberOf(active),
      [`${PREFIX}hash`]: active?.documentHash ?? null,
      [`${PREFIX}assigned-generation`]: numberOf(assigned),
      [`${PREFIX}assigned-hash`]: assigned?.documentHash ?? null,
      [`${PREFIX}last-known-good-generation`]: numberOf(lastKnownGood),
      [`${PREFIX}last-known-good-hash`]: lastKnownGood?.documentHash ?? null,
    },
    condition: {
      type: CONDITION,
      status: truth(phase),
      reason: camelCase(code),
      message: `${headline(status)}${noted}`.slice(0, 1024),
      lastTransitionTime: since,
    },
    event: eventOf(status),
  };
}

function numberOf(slot: { generation: number } | undefined): string | null {
  return slot === undefined ? null : String(slot.generation);
}

/** Does the node run its assigned document? Unknown until the phase shows it. */
function truth(phase: NodeStatus['phase']): Condition['status'] {
  if (phase === 'Applied') return 'True';
  return phase === 'Blocked' || phase === 'Planned' || phase === 'RolledBack' || phase === 'Degraded'
    ? 'False'
    : 'Unknown';
}

function eventOf(status: NodeStatus): NodeReport['event'] {
  const reasons: Partial<Record<NodeStatus['phase'], string>> = {
    Applying: 'ConfigApplying',
    Applied: 'ConfigApplied',
    Planned: 'ConfigWaiting',
    Blocked: 'ConfigBlocked',
    RolledBack: 'ConfigRolledBack',
    Degraded: 'ConfigDegraded',
  };
  const reason = reasons[status.phase];
  if (reason === undefined) return undefined;
  const isBad = status.phase === 'Blocked' || status.phase === 'RolledBack' || status.phase === 'Degraded';
  return { type: isBad ? 'Warning' : 'Normal', reason, message: headline(status) };
}

/** `verify/node-not-ready` → `VerifyNodeNotReady`: a condition's reason is one word. */
export function camelCase(code: string): string {
  return code
    .split(/[^A-Za-z0-9]+/)
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');
}
