// vms/qemu/home/record-file.ts: read and replace a record under the home, with error codes of local pools.
import type { z } from 'zod';
import { UserError } from '../../../base/errors.ts';
import { isFull, readJsonFile, writeJsonFile } from '../../../host/json-file.ts';

const BAD_RECORD = {
  code: 'vms/bad-record',
  next: 'restore the file, or delete the pool, instance, image or snapshot that it describes',
};

/** Undefined when the file does not exist. */
export const readHomeRecord = <T>(path: string, schema: z.ZodType<T>): T | undefined =>
  readJsonFile(path, schema, BAD_RECORD);

/** Undefined also for a record that is damaged or of another version. */
export function unlessDamaged<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

export function writeHomeRecord(path: string, value: unknown): void {
  try {
    writeJsonFile(path, value);
  } catch (error) {
    if (!isFull(error)) throw error;
    throw new UserError(`could not write ${path}: the disk is full`, {
      code: 'vms/no-space',
      kept: 'The previous file is unchanged.',
      next: 'free some space, then run the same command again',
      exitCode: 1,
      cause: error,
    });
  }
}
