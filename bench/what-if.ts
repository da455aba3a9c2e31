// bench/what-if.ts: does a second real boot save what what-if predicted? One ordering is dropped in the model and in the guest.
import { instancesOf, recordBoot } from '../demo/boots.ts';
import { READY_UNIT } from '../demo/bootstrap.ts';
import type { Stage } from '../demo/stage.ts';
import { formatSpan } from '../src/base/duration.ts';
import { loadInputs } from '../src/boot/load/load.ts';
import { median } from '../src/boot/model/noise.ts';
import type { Bench, Figure } from './figure.ts';
import { withStage } from './stage.ts';

const SLOW = 'waits-for-something.service';
const DROP_IN = `/etc/systemd/system/${READY_UNIT}.d`;
const ROUNDS = 2;
const GOAL_PERCENT = 20;
/** Boots of one emulated machine differ by some seconds; what is to be measured has to stand out from that. */
const WAIT_SECONDS = 40;

/** Waits for something outside the node, as wait-online does. */
const SLOW_UNIT = `[Unit]
Description=Waits for something outside this node

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sleep ${WAIT_SECONDS}

[Install]
WantedBy=multi-user.target
`;

export async function measureWhatIf(bench: Bench): Promise<Figure[]> {
  return withStage(bench, async (stage, recipe) => {
    bench.progress('a node to boot again and again');
    await stage.headstart('pool', 'create', 'what-if', '--count', '1', ...recipe);
    const [instance = ''] = await instancesOf(stage, 'what-if');
    return [await compare(stage, instance, bench.progress)];
  });
}

async function compare(stage: Stage, instance: string, progress: Bench['progress']): Promise<Figure> {
  const inGuest = (script: string) => stage.ask('pool', 'exec', '--no-stdin', instance, '--', 'sh', '-c', script);
  await inGuest(
    `printf %s '${SLOW_UNIT}' >/etc/systemd/system/${SLOW} && systemctl enable ${SLOW} && mkdir -p ${DROP_IN} && sync`,
  );
  const [slow, quick]: [number[], number[]] = [[], []];
  const predicted: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`round ${round} of ${ROUNDS}: with the wait and without`);
    await inGuest(`printf '[Unit]\\nAfter=${SLOW}\\n' >${DROP_IN}/wait.conf && sync`);
    const before = await rebootAndRecord(stage, instance);
    slow.push(before.activeUs);
    predicted.push(await predict(stage, before.bundle));
    await inGuest(`rm ${DROP_IN}/wait.conf && sync`);
    quick.push((await rebootAndRecord(stage, instance)).activeUs);
  }
  const predictedUs = median(predicted);
  const savedUs = median(slow) - median(quick);
  // If the machine was busier in the boot without the wait, the comparison is invalid.
  const offPercent = savedUs > 0 ? (Math.abs(predictedUs - savedUs) / savedUs) * 100 : Number.POSITIVE_INFINITY;
  return {
    name: 'what-if: one dropped After=, predicted from boots with it, against real boots without it',
    goal: `within ${GOAL_PERCENT} %`,
    met: offPercent <= GOAL_PERCENT,
    said: `predicted ${formatSpan(predictedUs)}, measured ${formatSpan(savedUs)} (${offPercent.toFixed(0)} % apart, medians of ${ROUNDS} boots each)`,
    measured: { predicted, slow, quick },
  };
}

async function rebootAndRecord(stage: Stage, instance: string): Promise<{ bundle: string; activeUs: number }> {
  await stage.headstart('pool', 'stop', instance);
  await stage.headstart('pool', 'start', instance);
  const { bundle } = await recordBoot(stage, 'prototype', instance);
  // The journal of a restarted guest also has its earlier boots.
  const record = (await loadInputs([bundle], { readStdin: () => new Uint8Array(), nowUs: Date.now() * 1000 })).at(-1);
  const unit = record?.units.find(({ name }) => name === READY_UNIT);
  if (!unit) throw new Error(`the record of ${instance} has no ${READY_UNIT}`);
  return { bundle, activeUs: unit.activatedUs };
}

async function predict(stage: Stage, bundle: string): Promise<number> {
  const answer: { savedUs: number } = JSON.parse(
    await stage.ask(
      ...['boot', 'what-if', '-i', bundle, '--json'],
      ...['--drop-after', `${READY_UNIT} ${SLOW}`, '--target', READY_UNIT],
    ),
  );
  return answer.savedUs;
}
