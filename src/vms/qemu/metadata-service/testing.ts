// vms/qemu/metadata-service/testing.ts: a sample instance and requests, for tests.
import type { PlatformRequest } from './http.ts';
import type { InstanceMetadata } from './instance-file.ts';

export const anInstance: InstanceMetadata = {
  vmId: '6f2c1a52-3b60-4b0c-9a35-0d8f5a1f2c11',
  name: 'pool1-000003',
  instanceId: 'pool1-000003',
  pool: 'pool1',
  location: 'local',
  vmSize: 'local-2cpu-1024mb',
  subscriptionId: '00000000-0000-0000-0000-000000000000',
  resourceGroupName: 'local',
  userData: Buffer.from('{"kind":"NodeConfig"}').toString('base64'),
  adminUsername: 'headstart',
  publicKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLE somebody'],
  tags: { team: 'a', env: 'test' },
  image: { id: 'galleries/headstart/debian-12/2026.11.15' },
  privateIpAddress: '168.0.0.15',
  macAddress: '52:54:00:12:34:56',
  osDiskGb: 4,
};

/** A GET request with the Metadata header, unless other headers are given. */
export function aRequest(target: string, more: Partial<PlatformRequest> = {}): PlatformRequest {
  const { pathname, searchParams } = new URL(`http://localhost${target}`);
  return {
    method: 'GET',
    path: pathname,
    query: searchParams,
    headers: { metadata: 'true', 'x-ms-version': '2012-11-30' },
    body: '',
    isLast: false,
    ...more,
  };
}
