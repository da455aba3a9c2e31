// local/autoscaler/testing.ts: a server over pools, and a real client of it on the loopback address.
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import type { PoolRef } from '../../vms/pools.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import { loadService } from './grpc-service.ts';
import { type NodeGroup, openNodeGroup } from './node-group.ts';
import { openNodeIds } from './node-ids.ts';
import type { GroupLimits } from './plan-sizes.ts';
import { type AutoscalerServer, serveAutoscaler } from './serve.ts';
import { templateNode } from './template-node.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into the answers of many methods
export type Call = (method: string, request?: object) => Promise<any>;

export interface ServerWorld {
  groups: NodeGroup[];
  server: AutoscalerServer;
  call: Call;
  reports: string[];
  bugs: unknown[];
  end(): Promise<void>;
}

export const size = { cpus: 2, memoryMb: 1000, diskGb: 8 };

/** Of pools that are in no cluster. */
export const noNodeIds = openNodeIds({ clusterOf: async () => undefined, listNodes: async () => [] });

export async function serveTo(
  provider: Pick<QemuProvider, 'pools' | 'standby' | 'guests'>,
  pools: readonly (GroupLimits & { pool: PoolRef })[],
  mark = 'a',
): Promise<ServerWorld> {
  const stopping = new AbortController();
  const [reports, bugs]: [string[], unknown[]] = [[], []];
  const report = (what: string) => void reports.push(what);
  const groups = pools.map((one) => openNodeGroup(one, { provider, report, signal: stopping.signal, mark }));
  const server = await serveAutoscaler({ host: '127.0.0.1', port: 0 }, undefined, {
    groups,
    nodeIds: noNodeIds,
    template: async ({ pool }) =>
      templateNode({ pool: pool.name, size, architecture: 'x64' }, { labels: { tier: 'front' }, taints: [] }),
    onBug: (error) => void bugs.push(error),
  });
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  return {
    ...{ groups, server, reports, bugs, call: callWith(client) },
    async end() {
      stopping.abort();
      client.close();
      await server.stop();
      await Promise.all(groups.map((group) => group.ended()));
    },
  };
}

/** Rejects with the gRPC error. */
export function callWith(client: Client): Call {
  const service = loadService();
  return (name, request = {}) => {
    const { path, requestSerialize, responseDeserialize } = service[name]!;
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, value?: unknown) => (error ? reject(error) : resolve(value));
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, done);
    });
  };
}
