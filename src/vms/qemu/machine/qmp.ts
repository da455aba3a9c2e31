// vms/qemu/machine/qmp.ts: send one command to a running QEMU over its QMP socket.
import { basename } from 'node:path';
import { z } from 'zod';
import { trace } from '../../../base/trace.ts';
import { instanceFiles } from '../home/layout.ts';
import { type Conversation, converse, NotAnswering } from './line-socket.ts';

const DEADLINE_MS = 10_000;

const messageSchema = z.looseObject({
  return: z.unknown().optional(),
  error: z.object({ class: z.string(), desc: z.string() }).optional(),
});

/** One connection per command: QEMU serves one client at a time, and other commands need a turn. */
export function qmp(
  folder: string,
  command: string,
  args: Record<string, unknown> = {},
  { deadlineMs = DEADLINE_MS, signal }: { deadlineMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<unknown> {
  const place = { folder, socket: instanceFiles.qmp };
  trace('qemu', `${basename(folder)}: ${command}`);
  return converse(place, { deadlineMs, signal }, (conversation) => orderOver(conversation, command, args));
}

export async function orderOver(
  { send, nextLine }: Conversation,
  command: string,
  args: Record<string, unknown>,
): Promise<unknown> {
  const order = async (execute: string, given: Record<string, unknown>): Promise<unknown> => {
    send(`${JSON.stringify({ execute, arguments: given })}\n`);
    for (;;) {
      const message = messageSchema.parse(JSON.parse((await nextLine()).toString()));
      if (message.error) throw new NotAnswering(`QEMU refused ${execute}: ${message.error.desc}`);
      if ('return' in message) return message.return; // the rest are events
    }
  };
  await nextLine(); // the greeting
  await order('qmp_capabilities', {});
  return order(command, args);
}
