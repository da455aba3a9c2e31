// bench/prototype-figures.ts: how many requests does a run need, and how much does the program add to the donor's time out of service?

import type { HttpExchange } from '../sims/azure/service/listen.ts';
import type { OperationTimes } from '../sims/azure/service/timing.ts';
import type { RunEvent } from '../src/prototype/run/run-event.ts';

export interface Told {
  atMs: number;
  event: RunEvent;
}

export interface RunFigures {
  requests: number;
  /** Of the requests: looks at an operation that is under way. */
  polls: number;
  /** To cloud and cluster, through their contracts. */
  calls: number;
  /** From the order to cordon until everything is restored. */
  outMs: number;
  /** Of it the drain, which the donor's pods and their budgets decide. */
  drainMs: number;
  /** Of the rest, what the simulated cloud and node need by themselves. */
  simulatedMs: number;
  beyondPercent: number;
}

/** What is promised of every run. */
export const MOST_BEYOND_PERCENT = 5;

export function runFigures(run: {
  told: readonly Told[];
  requests: readonly HttpExchange[];
  calls: number;
  timing: OperationTimes;
  /** From the machine's start until its node is fit for service again. */
  backAfterMs: number;
}): RunFigures {
  const { told, requests, timing } = run;
  const cordoning = stepsOf(told, 'cordon')[0];
  const restoring = stepsOf(told, 'restore-node').at(-1);
  if (!cordoning || !restoring) throw new Error('not a run that took its donor out and brought it home');
  const outMs = restoring.endMs - cordoning.startMs;
  const drainMs = stepsOf(told, 'drain').reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  // Restoring the protection and removing the tag: two updates of the instance.
  const simulatedMs =
    timing.powerOffMs + timing.snapshotMs + timing.startMs + run.backAfterMs + 2 * timing.updateInstanceMs;
  return {
    requests: requests.length,
    polls: requests.filter(({ path }) => /operations\//i.test(path)).length,
    calls: run.calls,
    outMs,
    drainMs,
    simulatedMs,
    beyondPercent: (100 * (outMs - drainMs - simulatedMs)) / simulatedMs,
  };
}

/** A step lasts until the run has read the world again. */
function stepsOf(told: readonly Told[], step: string): { startMs: number; endMs: number }[] {
  return told.flatMap(({ atMs, event }, index) => {
    if (event.event !== 'step' || event.step !== step) return [];
    const next = told.slice(index + 1).find(({ event: later }) => later.event === 'plan' || later.event === 'step');
    return [{ startMs: atMs, endMs: next?.atMs ?? atMs }];
  });
}

export function describeRun({ requests, polls, calls, ...times }: RunFigures): string {
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  return (
    `${requests} requests to Azure (${polls} of them polls), ${calls} calls to cloud and cluster; ` +
    `donor out for ${seconds(times.outMs)}, ${seconds(times.drainMs)} of it draining; ` +
    `the rest is ${times.beyondPercent.toFixed(1)} % beyond the ${seconds(times.simulatedMs)} of the operations themselves`
  );
}
