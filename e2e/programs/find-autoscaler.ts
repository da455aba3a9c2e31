// e2e/programs/find-autoscaler.ts: the cluster-autoscaler that tests run against: one that was given, because its module is not in the
// Go module proxy of every network.
import { accessSync, constants } from 'node:fs';

/** 1.35 or newer with the provider externalgrpc. Undefined: the tests that need it are skipped. */
export function givenAutoscaler(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const path = env.HEADSTART_CLUSTER_AUTOSCALER;
  if (path === undefined || path === '') return undefined;
  accessSync(path, constants.X_OK);
  return path;
}
