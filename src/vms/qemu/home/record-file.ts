// vms/qemu/home/record-file.ts: read and replace a record under the home, with the errors of local pools.
import type { z } from 'zod';
import { UserError } from '../../../base/errors.ts';
import { isFull, readJsonFile, writeJsonFile } from '../../../host/json-file.ts';

const BAD_RECORD = {
  code: 'vms/bad-record',
  next: 'put the file back as it was, or remove what it belongs to',
};

/** Undefined when there is no such file. */
export const readHomeRecord = <T>(path: string, schema: z.ZodType<T>): T | undefined =>
  readJsonFile(path, schema, BAD_RECORD);

export function writeHomeRecord(path: string, value: unknown): void {
  try {
    writeJsonFile(path, value);
  } catch (error) {
    if (!isFull(error)) throw error;
    throw new UserError(`${path} could not be written: the disk is full`, {
      code: 'vms/no-space',
      kept: 'What was there before is as it was.',
      next: 'free some space, then run the same command again',
      exitCode: 1,
      cause: error,
    });
  }
}
