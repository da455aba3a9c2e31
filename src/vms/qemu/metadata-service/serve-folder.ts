// vms/qemu/metadata-service/serve-folder.ts: the platform of one instance, answered from its folder: metadata.json is read, health.jsonl is written.
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer } from './answer.ts';
import { appendHealth } from './health.ts';
import type { PlatformRequest, PlatformResponse } from './http.ts';
import type { InstanceMetadata } from './instance-file.ts';

/** Never throws: a client that retries is told to, whatever is wrong on this side. */
export function respondFromFolder(folder: string, request: PlatformRequest, nowMs: number): PlatformResponse {
  try {
    const { response, report } = answer(request, readInstance(folder), nowMs);
    if (report === undefined || appendHealth(join(folder, 'health.jsonl'), report)) return response;
    return failure(429, 'too many reports');
  } catch (error) {
    const { code = 'not as it should be' } = error as NodeJS.ErrnoException;
    return failure(500, `what this machine knows of the instance: ${code}`);
  }
}

/**
 * Anew for every request, so that changed user data shows at once. Trusted as it is: the provider writes it, whole, and checking it
 * with the schema would cost more than all the rest of an answer.
 */
function readInstance(folder: string): InstanceMetadata {
  const fd = openSync(join(folder, 'metadata.json'), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return JSON.parse(readFileSync(fd, 'utf8')) as InstanceMetadata;
  } finally {
    closeSync(fd);
  }
}

function failure(status: number, error: string): PlatformResponse {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify({ error }) };
}
