// vms/qemu/metadata-service/serve-folder.ts: respond for one instance from its folder: reads metadata.json, appends to health.jsonl.
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer } from './answer.ts';
import { appendHealth } from './health.ts';
import type { PlatformRequest, PlatformResponse } from './http.ts';
import type { InstanceMetadata } from './instance-file.ts';

/** Never throws: every failure on this side becomes a status that clients retry. */
export function respondFromFolder(folder: string, request: PlatformRequest, nowMs: number): PlatformResponse {
  try {
    const { response, report } = answer(request, readInstance(folder), nowMs);
    if (report === undefined || appendHealth(join(folder, 'health.jsonl'), report)) return response;
    return failure(429, 'too many reports');
  } catch (error) {
    const { code = 'invalid metadata' } = error as NodeJS.ErrnoException;
    return failure(500, `could not respond from the instance's folder: ${code}`);
  }
}

/**
 * Read for every request, so that changed user data is served immediately. Not validated: only the provider writes the file, and the
 * schema check would take longer than the rest of the response.
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
