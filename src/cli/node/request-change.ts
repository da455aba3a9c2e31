// cli/node/request-change.ts: requests a change from the daemon, or makes it in this process with --once, and prints the result.
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import type { ApplyOutcome } from '../../node/apply/contract.ts';
import type { OpenNode } from '../../node/daemon/open-node.ts';
import { type DaemonRequest, type OrderAnswer, resultIn } from '../../node/daemon/requests.ts';
import { isReasonCode, reasonFor } from '../../node/reason-codes.ts';
import { askDaemon } from '../../node/triggers/ask-socket.ts';
import { printable } from '../output/table.ts';
import type { CliDeps } from '../verb.ts';

export interface ChangeRequestOptions {
  once?: boolean;
  json?: boolean;
}

export interface ChangeHandlers {
  /** For --json. */
  print(body: object): void;
  withoutDaemon(opened: OpenNode, signal: AbortSignal): Promise<ApplyOutcome>;
}

const FAILED = 1;
const ANSWER_IS_NO = 3;
const CHECK_MS = 2000;

/** Returns the exit code. */
export async function requestChange(
  opened: OpenNode,
  request: DaemonRequest,
  options: ChangeRequestOptions,
  deps: CliDeps,
  { print, withoutDaemon }: ChangeHandlers,
): Promise<number> {
  const signal = deps.signal();
  const daemon = await askDaemon(opened.root, { do: 'status' }, signal);
  if (daemon === undefined && !options.once) throw noDaemon();
  if (daemon !== undefined && options.once) throw isDaemon();
  const result =
    daemon === undefined
      ? toResult(await onceAndWatch(opened, withoutDaemon, signal, deps))
      : resultIn((await askDaemon(opened.root, request, signal)) ?? {});
  if (result === undefined) throw noDaemon();
  show(result, options, deps, print);
  return exitCodeOf(result);
}

/** Without the daemon, this process has to run the health checks. */
async function onceAndWatch(
  opened: OpenNode,
  withoutDaemon: ChangeHandlers['withoutDaemon'],
  signal: AbortSignal,
  deps: CliDeps,
): Promise<ApplyOutcome> {
  const { store, clock } = opened;
  const recovered = await store.recover();
  if (recovered.kind !== 'unchanged') deps.stderr(`${printable(recovered.reason)} (${recovered.code})\n`);
  let outcome = await withoutDaemon(opened, signal);
  const startMs = clock.nowMs();
  let printed = '';
  while (outcome.kind === 'applied' && store.slots().watch !== undefined) {
    if (printed !== outcome.code) {
      const elapsed = formatSpan((clock.nowMs() - startMs) * 1000).padStart(9);
      deps.stderr(`${elapsed}  ${printable(outcome.reason)} (${outcome.code})\n`);
    }
    printed = outcome.code;
    await clock.sleep(CHECK_MS, signal);
    outcome = await store.check();
  }
  return outcome;
}

function toResult({ kind, code, reason, plan }: ApplyOutcome): OrderAnswer {
  return { kind, code, reason, ...(plan && { changes: plan.changes.length }) };
}

function show(
  result: OrderAnswer,
  { json }: ChangeRequestOptions,
  deps: CliDeps,
  print: ChangeHandlers['print'],
): void {
  const next = isReasonCode(result.code) ? reasonFor(result.code).next : undefined;
  if (json) {
    print({ outcome: result.kind ?? 'refused', ...withoutKind(result), ...(next && { next }) });
    return;
  }
  deps.stdout(`${result.kind ?? 'refused'}: ${printable(result.reason)} (${result.code})\n`);
  if (result.kind === 'applied') deps.stderr('next:  headstart node wait --for applied\n');
  else if (next && exitCodeOf(result) !== 0) deps.stderr(`next:  ${next}\n`);
}

function withoutKind({ kind: _, ...rest }: OrderAnswer): Omit<OrderAnswer, 'kind'> {
  return rest;
}

function exitCodeOf({ kind, code }: OrderAnswer): number {
  if (kind === 'failed') return FAILED;
  const isDone =
    kind === 'unchanged' || kind === 'applied' || kind === 'verified' || code === 'plan/needs-control-plane';
  return isDone ? 0 : ANSWER_IS_NO;
}

function noDaemon(): UserError {
  return new UserError('the daemon does not run on this node', {
    code: 'node/no-daemon',
    kept: 'Nothing was changed.',
    next: 'systemctl start headstart-node, or add --once',
  });
}

function isDaemon(): UserError {
  return new UserError('the daemon runs on this node; --once is for nodes without it', {
    code: 'node/daemon-runs',
    kept: 'Nothing was changed.',
    next: 'leave out --once',
  });
}
