// sims/azure/service/faults.ts: which configured fault hits this request?
import type { Fate } from '../world.ts';
import { ArmError } from './arm-error.ts';

export type FaultKind =
  | 'throttle'
  | 'conflict'
  | 'server-error'
  /** The connection breaks before the request is handled. */
  | 'connection-reset'
  /** The request is executed and its answer is lost. */
  | 'answer-lost'
  | 'lro-failed'
  | 'lro-failed-but-applied'
  | 'lro-succeeded-but-not-applied'
  /** A start of a deallocated instance fails for lack of capacity. */
  | 'allocation-failed'
  /** The operation takes ten times longer. */
  | 'slow'
  /** Of a write to a standby pool or its scale set: the pool cannot make VMs for a while. */
  | 'standby-degraded';

export interface Fault {
  /** `PUT snapshots`, `POST virtualMachines/powerOff`, `* versions`, `GET operations` (polls), `* *`: method and end of the resource's type. */
  on: string;
  kind: FaultKind;
  /** How often; default once. */
  times?: number;
  /** How many matching requests succeed first; default none. */
  after?: number;
  /** Hits each matching request with this probability, drawn from the seed; default always. */
  chance?: number;
}

/** The effect of a fault: an error at once, a broken connection, or another end of the operation that begins. */
export interface Strike {
  error?: ArmError;
  connection?: 'reset' | 'answer-lost';
  fate: Fate;
  slowdown: number;
}

export const UNHARMED: Readonly<Strike> = { fate: 'as-asked', slowdown: 1 };

const THROTTLE_SECONDS = 30;
const SLOWDOWN = 10;

/** Faults with their remaining count; the first match applies. */
export class Dials {
  #faults: Required<Fault>[] = [];
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  set(fault: Fault): void {
    this.#faults.push({ times: 1, after: 0, chance: 1, ...fault });
  }

  clear(): void {
    this.#faults = [];
  }

  strike(method: string, type: string): Strike {
    for (const fault of this.#faults) {
      if (fault.times <= 0 || !isOn(fault.on, method, type)) continue;
      if (fault.after > 0) {
        fault.after -= 1;
        continue;
      }
      if (fault.chance < 1 && this.#random() >= fault.chance) continue;
      fault.times -= 1;
      return strikeOf(fault.kind);
    }
    return UNHARMED;
  }
}

function isOn(on: string, method: string, type: string): boolean {
  const [wantedMethod = '*', wantedType = '*'] = on.toLowerCase().split(' ');
  if (wantedMethod !== '*' && wantedMethod !== method.toLowerCase()) return false;
  return wantedType === '*' || `/${type.toLowerCase()}`.endsWith(`/${wantedType}`);
}

function strikeOf(kind: FaultKind): Strike {
  switch (kind) {
    case 'throttle':
      return { ...UNHARMED, error: tooMany(THROTTLE_SECONDS, 'SimulatedFault') };
    case 'conflict':
      return {
        ...UNHARMED,
        error: new ArmError(409, 'Conflict', 'The request failed due to conflict with a concurrent request.'),
      };
    case 'server-error':
      return {
        ...UNHARMED,
        error: new ArmError(503, 'ServiceUnavailable', 'The server is temporarily unable to serve the request.'),
      };
    case 'connection-reset':
      return { ...UNHARMED, connection: 'reset' };
    case 'answer-lost':
      return { ...UNHARMED, connection: 'answer-lost' };
    case 'lro-failed':
      return { ...UNHARMED, fate: 'failed' };
    case 'lro-failed-but-applied':
      return { ...UNHARMED, fate: 'failed-but-applied' };
    case 'lro-succeeded-but-not-applied':
      return { ...UNHARMED, fate: 'succeeded-but-not-applied' };
    case 'allocation-failed':
      return { ...UNHARMED, fate: 'allocation-failed' };
    case 'standby-degraded':
      return { ...UNHARMED, fate: 'standby-degraded' };
    case 'slow':
      return { ...UNHARMED, slowdown: SLOWDOWN };
  }
}

/** The documented form; there is no recorded 429, so the envelope is ARM's usual one. */
export function tooMany(seconds: number, policy: string): ArmError {
  return new ArmError(
    429,
    'OperationNotAllowed',
    'The server rejected the request because too many requests have been received for this subscription.',
    {
      headers: {
        'retry-after': String(seconds),
        'x-ms-ratelimit-remaining-resource': `Microsoft.Compute/${policy};0`,
      },
      details: [
        {
          code: 'TooManyRequests',
          target: policy,
          message: `{"operationGroup":"${policy}","allowedRequestCount":0,"measuredRequestCount":1}`,
        },
      ],
    },
  );
}
