// vms/qemu/guest/guest-agent.ts: send commands to the QEMU guest agent inside a guest. This needs no network in the guest.
import { randomInt } from 'node:crypto';
import { basename } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../base/errors.ts';
import { trace } from '../../../base/trace.ts';
import { instanceFiles } from '../home/layout.ts';
import { type Conversation, converse } from '../machine/line-socket.ts';

export interface AgentOptions {
  deadlineMs: number;
  signal?: AbortSignal | undefined;
}

export type CallAgent = (command: string, args?: Record<string, unknown>) => Promise<unknown>;

/** Throws `NotAnswering` when the agent does not answer, `AgentRefused` when it returns an error. */
export interface GuestAgent {
  talk<T>(folder: string, options: AgentOptions, work: (ask: CallAgent) => Promise<T>): Promise<T>;
  /** The agent does not answer this command when it succeeds. Throws `NotAnswering` when no agent is listening. */
  shutDown(folder: string, options: AgentOptions): Promise<void>;
}

export class AgentRefused extends UserError {
  constructor(command: string, why: string) {
    super(`the guest's agent refused ${command}: ${why}`, { code: 'vms/guest-refused', exitCode: 1 });
    this.name = 'AgentRefused';
  }
}

const answerSchema = z.looseObject({
  return: z.unknown().optional(),
  error: z.object({ desc: z.string() }).optional(),
});

export const guestAgent: GuestAgent = {
  talk: (folder, options, work) =>
    converse(agentSocket(folder), options, async (conversation) => {
      const ask = await callAgentOver(conversation);
      return work((command, args) => {
        traceOrder(folder, command, args);
        return ask(command, args);
      });
    }),
  shutDown: (folder, options) => {
    traceOrder(folder, 'guest-shutdown');
    return converse(agentSocket(folder), options, shutDownOver);
  },
};

/** Logs only the program's name: arguments, input and file contents may hold secrets. */
function traceOrder(folder: string, command: string, args: Record<string, unknown> = {}): void {
  const program = typeof args.path === 'string' ? ` ${args.path}` : '';
  trace('guest', `${basename(folder)}: ${command}${program}`);
}

export async function callAgentOver(conversation: Conversation): Promise<CallAgent> {
  await synchronise(conversation);
  return async (command, args) => {
    conversation.send(order(command, args));
    const { error, return: value } = answerSchema.parse(JSON.parse((await conversation.nextLine()).toString()));
    if (error) throw new AgentRefused(command, error.desc);
    return value;
  };
}

export async function shutDownOver(conversation: Conversation): Promise<void> {
  await synchronise(conversation);
  conversation.send(order('guest-shutdown', { mode: 'powerdown' }));
  // guest-shutdown has no answer on success, so a ping follows: the first line is either the refusal or the ping's answer. The guest may
  // also be gone by then.
  conversation.send(order('guest-ping'));
  const first = await conversation.nextLine().catch(() => undefined);
  const { error } = first ? answerSchema.parse(JSON.parse(first.toString())) : {};
  if (error) throw new AgentRefused('guest-shutdown', error.desc);
}

/** Skips everything that an earlier, interrupted conversation left in the pipe: our own number comes after it. */
async function synchronise({ send, nextLine }: Conversation): Promise<void> {
  const id = randomInt(1, 2 ** 31);
  send(Buffer.concat([Buffer.of(0xff), Buffer.from(order('guest-sync-delimited', { id }))]));
  for (;;) {
    const line = await nextLine();
    const own = line.subarray(line.lastIndexOf(0xff) + 1).toString();
    try {
      if (answerSchema.parse(JSON.parse(own)).return === id) return;
    } catch {
      // part of an answer to an earlier command
    }
  }
}

function order(execute: string, args?: Record<string, unknown>): string {
  return `${JSON.stringify({ execute, ...(args && { arguments: args }) })}\n`;
}

function agentSocket(folder: string) {
  return { folder, socket: instanceFiles.agent };
}
