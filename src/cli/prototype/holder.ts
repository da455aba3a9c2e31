// cli/prototype/holder.ts: under which name does this process hold a pool? Others read it, and no two processes anywhere may share it.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** Not by the number of the process: in a pod it is the same every time, and two holders of one name do not exclude each other. */
export function holderName(verb: string): string {
  return `${verb}-${hostname()}-${randomUUID().slice(0, 8)}`;
}
