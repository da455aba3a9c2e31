// vms/qemu/metadata-service/answer.ts: route a request to one of the platform's two servers. One process serves both.
import type { PlatformRequest } from './http.ts';
import type { InstanceMetadata } from './instance-file.ts';
import { answerMetadata } from './metadata-service.ts';
import { answerWire, type WireResponse } from './wire-server.ts';

export type PlatformServer = 'imds' | 'wire';

export function answer(request: PlatformRequest, instance: InstanceMetadata, nowMs: number): WireResponse {
  return serverOf(request) === 'wire'
    ? answerWire(request, instance, nowMs)
    : { response: answerMetadata(request, instance, nowMs) };
}

/** Goes by the Host header; on a loopback port, by the path. */
export function serverOf({ headers, path }: PlatformRequest): PlatformServer {
  const host = headers.host?.replace(/:\d+$/, '');
  if (host === '168.63.129.16') return 'wire';
  if (host === '169.254.169.254') return 'imds';
  return path.startsWith('/metadata') ? 'imds' : 'wire';
}
