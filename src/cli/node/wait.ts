// cli/node/wait.ts: `headstart node wait`: waits until this node is configured. Exits 0 if it is, 3 if it is not, or not in time.
import { systemClock } from '../../base/clock.ts';
import { formatSpan, parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { type AwaitResult, awaitStatus, type Goal } from '../../node/status/await-status.ts';
import { headline, type NodeStatus } from '../../node/status/node-status.ts';
import { readNodeStatus } from '../../node/status/read-status.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { withRoot } from './this-node.ts';

interface Options {
  root: string;
  for: string;
  timeout: string;
  json?: boolean;
}

const ANSWER_IS_NO = 3;

export const verb: Verb = {
  examples: ['node wait', 'node wait --for applied --timeout 5min', 'node wait --for generation=8 --json'],
  notes: 'Exit code: 0 the goal is reached, 3 it is not reached in time or cannot be reached. Works without root.',
  configure(command) {
    withRoot(command)
      .option(
        '--for <GOAL>',
        'ready (the kubelet may start), applied (the document is applied) or generation=N',
        'ready',
      )
      .option('--timeout <SPAN>', 'how long to wait', '10min');
  },
  async run(_args, { root, for: text, timeout, json }: Options, deps) {
    const goal = parseGoal(text);
    const startUs = deps.nowUs();
    const onNews = (status: NodeStatus | undefined) => {
      const elapsed = formatSpan(deps.nowUs() - startUs).padStart(9);
      deps.stderr(`${elapsed}  ${status ? printable(headline(status)) : 'the daemon has not reported a status yet'}\n`);
    };
    const awaited = await awaitStatus({
      goal,
      timeoutMs: parseTimeout(timeout),
      clock: systemClock,
      signal: deps.signal(),
      read: () => readNodeStatus(root),
      onNews,
    });
    const { isReached, why, status } = awaited;
    if (json) printJson(deps, 'NodeWait', { for: text, isReached, why, ...(status && { status }) });
    else deps.stdout(`${sentence(awaited, text)}\n`);
    return isReached ? 0 : ANSWER_IS_NO;
  },
};

function sentence({ why, status }: AwaitResult, goal: string): string {
  const now = status ? printable(headline(status)) : 'the daemon has reported no status';
  if (why === 'reached') return now;
  return why === 'cannot' ? `${goal}: cannot be reached with this document: ${now}` : `${goal}: timed out: ${now}`;
}

function parseGoal(text: string): Goal {
  if (text === 'ready' || text === 'applied') return { is: text };
  const generation = /^generation=([1-9]\d{0,14})$/.exec(text)?.[1];
  if (generation !== undefined) return { is: 'generation', atLeast: Number(generation) };
  throw new UserError(`--for: expected ready, applied or generation=N, got '${text}'`, { code: 'node/bad-option' });
}

function parseTimeout(text: string): number {
  const us = parseSpan(text);
  if (us !== undefined) return us / 1000;
  throw new UserError(`--timeout: expected a time span such as 5min, got '${text}'`, { code: 'node/bad-option' });
}
