// cluster/kubernetes/events.ts: records Events on a node, which `kubectl describe node` shows.
import type { Cluster } from '../cluster.ts';
import type { Client } from './connect.ts';

/** The API server refuses longer messages. */
const LONGEST_MESSAGE = 1024;

/** Best effort by contract: a run never fails for an Event. */
export function eventCalls({ core, clock, call }: Client): Pick<Cluster, 'recordEvent'> {
  return {
    recordEvent: async (node, reason, message, signal) => {
      // A node has no namespace, and the API server accepts its events only in this one.
      const namespace = 'default';
      const now = new Date(clock.nowMs());
      const body = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { generateName: `${node.name}.`, namespace },
        involvedObject: { apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid },
        type: reason.endsWith('Failed') ? 'Warning' : 'Normal',
        reason,
        message: message.slice(0, LONGEST_MESSAGE),
        source: { component: 'headstart' },
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
      };
      const request = { verb: 'create', resource: 'events', namespace };
      await call(request, (options) => core.createNamespacedEvent({ namespace, body }, options), { signal }).catch(
        () => undefined,
      );
      signal?.throwIfAborted();
    },
  };
}
