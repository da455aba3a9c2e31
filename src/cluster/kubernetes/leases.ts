// cluster/kubernetes/leases.ts: the Lease that allows one run per pool: who holds it, and can it be taken over?
import type { V1Lease } from '@kubernetes/client-node';
import { Conflict } from '../../base/failures.ts';
import type { Cluster, Lease } from '../cluster.ts';
import { LeaseHeld } from '../lease-held.ts';
import type { Client } from './connect.ts';

const NOTE_ANNOTATION = 'headstart.dev/lease-note';
/** The server's Date header has whole seconds. */
const SLACK_MS = 2_000;

interface FoundLease {
  object: V1Lease;
  lease: Lease;
}

/**
 * Renewal and expiry use the API server's clock (the Date header of its responses), so that two runs on machines with different
 * clocks agree on the holder. Each write carries the resourceVersion that the decision was based on.
 */
export function leaseCalls(client: Client): Pick<Cluster, 'readLease' | 'holdLease' | 'releaseLease'> {
  const { coordination, namespace, call, find } = client;
  const request = (verb: string, name: string) => ({ verb, resource: 'leases', name, namespace });

  async function read(
    name: string,
    signal?: AbortSignal,
  ): Promise<{ found: FoundLease | undefined; serverMs: number }> {
    let serverMs = client.clock.nowMs();
    const object = await find(
      request('get', name),
      (options) => coordination.readNamespacedLease({ name, namespace }, options),
      {
        signal,
        onHeaders: ({ date }) => {
          serverMs = Date.parse(date ?? '') || serverMs; // a proxy may have removed the header
        },
      },
    );
    return { found: object && { object, lease: toLease(object) }, serverMs };
  }

  return {
    readLease: async (name, signal) => (await read(name, signal)).found?.lease,

    holdLease: async (name, wanted, signal) => {
      const { V1MicroTime } = await import('@kubernetes/client-node');
      const { found, serverMs } = await read(name, signal);
      const held = found?.lease;
      if (held && held.holder !== '' && held.holder !== wanted.holder && !isExpired(held, serverMs)) {
        throw new LeaseHeld(name, held);
      }
      const isOurs = held?.holder === wanted.holder;
      const now = new V1MicroTime(serverMs);
      const spec = {
        holderIdentity: wanted.holder,
        leaseDurationSeconds: Math.ceil(wanted.durationMs / 1000),
        renewTime: now,
        acquireTime: isOurs ? (found?.object.spec?.acquireTime ?? now) : now,
        leaseTransitions: (found?.object.spec?.leaseTransitions ?? 0) + (found && !isOurs ? 1 : 0),
      };
      const metadata = { ...found?.object.metadata, name, namespace, annotations: { [NOTE_ANNOTATION]: wanted.note } };
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
      try {
        if (found) {
          const replace = request('update', name);
          await call(replace, (options) => coordination.replaceNamespacedLease({ name, namespace, body }, options), {
            signal,
          });
        } else {
          const create = request('create', name);
          await call(create, (options) => coordination.createNamespacedLease({ namespace, body }, options), { signal });
        }
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        // Another run was faster. If it was our own request whose response was lost, a retry renews it.
        const winner = (await read(name, signal)).found?.lease;
        if (winner && winner.holder !== '' && winner.holder !== wanted.holder) throw new LeaseHeld(name, winner);
        throw error;
      }
    },

    releaseLease: async (name, holder, signal) => {
      const { found } = await read(name, signal);
      if (found?.lease.holder !== holder) return;
      const { uid, resourceVersion } = found.object.metadata ?? {};
      const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
      try {
        await find(
          request('delete', name),
          (options) => coordination.deleteNamespacedLease({ name, namespace, body: { preconditions } }, options),
          { signal },
        );
      } catch (error) {
        if (!(error instanceof Conflict)) throw error; // another run took it over: no longer ours
      }
    },
  };
}

export function isExpired(lease: Lease, serverMs: number): boolean {
  return serverMs > lease.renewedMs + lease.durationMs + SLACK_MS;
}

export function toLease({ metadata, spec }: V1Lease): Lease {
  return {
    holder: spec?.holderIdentity ?? '',
    // The client declares a Date but returns a string.
    renewedMs: spec?.renewTime ? new Date(spec.renewTime).getTime() : 0,
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
    note: metadata?.annotations?.[NOTE_ANNOTATION] ?? '',
  };
}
