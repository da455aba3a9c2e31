// node/status/read-status.ts: which status did the daemon report last? For callers that cannot use the socket.
import { join } from 'node:path';
import { isObject, type Json } from '../../schema/json.ts';
import { readPlainFile } from '../observe/plain-file.ts';
import { isReasonCode } from '../reason-codes.ts';
import { STATUS_PATH } from './files.ts';
import type { NodeStatus } from './node-status.ts';

const MAX_BYTES = 1 << 20;

/** Undefined: no status in this boot, or an invalid one. */
export function readNodeStatus(root: string): NodeStatus | undefined {
  const bytes = readPlainFile(join(root, STATUS_PATH), MAX_BYTES);
  return bytes && asStatus(parse(Buffer.from(bytes).toString('utf8')));
}

/** From the file or the socket. */
export function asStatus(value: Json | undefined): NodeStatus | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  const { phase, code, detail, since, isReady, notes } = value;
  const isOne =
    typeof phase === 'string' &&
    typeof code === 'string' &&
    isReasonCode(code) &&
    typeof detail === 'string' &&
    typeof since === 'string' &&
    typeof isReady === 'boolean' &&
    Array.isArray(notes);
  if (!isOne) return undefined;
  const { apiVersion: _, kind: __, ...status } = value;
  return status as unknown as NodeStatus;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
