// bench/what-if.ts: do real boots save what what-if predicted? Each edit is predicted on a recorded boot, then made in the guest.
import { instancesOf, recordBoot } from '../demo/boots.ts';
import { READY_UNIT } from '../demo/bootstrap.ts';
import type { Stage } from '../demo/stage.ts';
import { formatSpan } from '../src/base/duration.ts';
import { loadInputs } from '../src/boot/load/load.ts';
import { median } from '../src/boot/model/noise.ts';
import type { Bench, Figure } from './figure.ts';
import { withStage } from './stage.ts';
import { GUEST_EDITS, type GuestEdit, prepareGuest } from './what-if-edits.ts';

const ROUNDS = 2;
const GOAL_PERCENT = 20;
const LEAST_SAVING_US = 10_000_000;

interface Trial extends GuestEdit {
  predictedUs: number[];
  /** When the node was ready, with the edit. */
  readyUs: number[];
}

export async function measureWhatIf(bench: Bench): Promise<Figure[]> {
  return withStage(bench, async (stage, recipe) => {
    bench.progress('a node to boot again and again');
    await stage.headstart('pool', 'create', 'what-if', '--count', '1', ...recipe);
    const [instance = ''] = await instancesOf(stage, 'what-if');
    const trials = GUEST_EDITS.map((edit): Trial => ({ ...edit, predictedUs: [], readyUs: [] }));
    const unchangedUs = await bootInTurns(stage, instance, { trials, progress: bench.progress });
    return figuresOf(trials, unchangedUs);
  });
}

/** In each round once without an edit, which is also what the predictions are made from, and once with each. */
async function bootInTurns(
  stage: Stage,
  instance: string,
  { trials, progress }: { trials: readonly Trial[]; progress: Bench['progress'] },
): Promise<number[]> {
  const inGuest = (script: string) => stage.ask('pool', 'exec', '--no-stdin', instance, '--', 'sh', '-c', script);
  await inGuest(prepareGuest());
  const unchangedUs: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`round ${round} of ${ROUNDS}: no edit`);
    const { bundle, readyUs } = await rebootAndRecord(stage, instance);
    unchangedUs.push(readyUs);
    for (const trial of trials) trial.predictedUs.push(await predict(stage, bundle, trial));
    for (const trial of trials) {
      progress(`round ${round} of ${ROUNDS}: ${trial.name}`);
      await inGuest(`${trial.make} && sync`);
      trial.readyUs.push((await rebootAndRecord(stage, instance)).readyUs);
      await inGuest(`${trial.undo} && sync`);
    }
  }
  return unchangedUs;
}

function figuresOf(trials: readonly Trial[], unchangedUs: readonly number[]): Figure[] {
  const answers = trials.map((trial) => {
    const predictedUs = median(trial.predictedUs);
    const savedUs = median(unchangedUs) - median(trial.readyUs);
    const offPercent = savedUs > 0 ? (Math.abs(predictedUs - savedUs) / savedUs) * 100 : Number.POSITIVE_INFINITY;
    return { ...trial, predictedUs, savedUs, offPercent };
  });
  const each = answers.map(
    ({ name, args, predictedUs, savedUs, offPercent }): Figure => ({
      name: `what-if, ${name} (${args.join(' ')})`,
      goal: `an edit that saves at least ${formatSpan(LEAST_SAVING_US)}`,
      met: savedUs >= LEAST_SAVING_US,
      said: `predicted ${formatSpan(predictedUs)}, measured ${formatSpan(savedUs)}, ${offPercent.toFixed(0)} % apart`,
      measured: { predictedUs, savedUs },
    }),
  );
  const offPercent = median(answers.map((answer) => answer.offPercent));
  const seconds = unchangedUs.map((us) => (us / 1e6).toFixed(1)).join(' and ');
  return [
    ...each,
    {
      name: `what-if: error of the predicted saving, median of ${answers.length} edits`,
      goal: `at most ${GOAL_PERCENT} %`,
      met: offPercent <= GOAL_PERCENT,
      said: `${offPercent.toFixed(0)} % (${ROUNDS} boots of each; without an edit, ready after ${seconds} s)`,
      measured: { trials, unchangedUs },
    },
  ];
}

async function rebootAndRecord(stage: Stage, instance: string): Promise<{ bundle: string; readyUs: number }> {
  await stage.headstart('pool', 'stop', instance);
  await stage.headstart('pool', 'start', instance);
  const { bundle } = await recordBoot(stage, 'prototype', instance);
  // The journal of a restarted guest also has its earlier boots.
  const record = (await loadInputs([bundle], { readStdin: () => new Uint8Array(), nowUs: Date.now() * 1000 })).at(-1);
  const unit = record?.units.find(({ name }) => name === READY_UNIT);
  if (!unit) throw new Error(`the record of ${instance} has no ${READY_UNIT}`);
  return { bundle, readyUs: unit.activatedUs };
}

async function predict(stage: Stage, bundle: string, { args }: GuestEdit): Promise<number> {
  const answer: { savedUs: number } = JSON.parse(
    await stage.ask('boot', 'what-if', '-i', bundle, '--json', ...args, '--target', READY_UNIT),
  );
  return answer.savedUs;
}
