// vms/qemu/metadata-service/answer.ts: which of the platform's two servers was asked, and what does it say? One process stands for both.
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

/** By the address that was called, where the client names it; on a loopback port only the path tells. */
export function serverOf({ headers, path }: PlatformRequest): PlatformServer {
  const host = headers.host?.replace(/:\d+$/, '');
  if (host === '168.63.129.16') return 'wire';
  if (host === '169.254.169.254') return 'imds';
  return path.startsWith('/metadata') ? 'imds' : 'wire';
}
