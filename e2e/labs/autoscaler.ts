// e2e/labs/autoscaler.ts: a real cluster-autoscaler as a child process, in a hurry, with our server as its provider.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from './child.ts';
import { freePorts } from './free-ports.ts';

export interface AutoscalerOptions {
  program: string;
  kubeconfig: string;
  /** Of our server. */
  address: string;
  folder: string;
}

export async function startAutoscaler({ program, kubeconfig, address, folder }: AutoscalerOptions): Promise<Child> {
  const config = join(folder, 'cloud-config.yaml');
  writeFileSync(config, `address: ${address}\ngrpc_timeout: 30s\n`);
  const [port = 0] = await freePorts(1);
  const flags = {
    'cloud-provider': 'externalgrpc',
    'cloud-config': config,
    kubeconfig,
    address: `127.0.0.1:${port}`, // by default, its metrics are on all interfaces
    'leader-elect': 'false',
    'scan-interval': '1s',
    'scale-down-unneeded-time': '3s',
    'scale-down-delay-after-add': '1s',
    'scale-down-delay-after-delete': '1s',
    v: '4',
  };
  const argv = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return startChild('cluster-autoscaler', [program, ...argv], join(folder, 'cluster-autoscaler.log'));
}
