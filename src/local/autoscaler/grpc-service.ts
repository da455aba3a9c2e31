// local/autoscaler/grpc-service.ts: the service of external-grpc.proto, as the gRPC library wants it. Loaded only when a server starts.
import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ownPath } from '../../base/own-files/own-files.ts';

const SERVICE = 'clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider';

export function loadService(): ServiceDefinition {
  const file = ownPath(new URL('./external-grpc.proto', import.meta.url));
  return loadSync(file, { defaults: true })[SERVICE] as ServiceDefinition;
}
