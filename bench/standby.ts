// bench/standby.ts: how long from the claim of a standby node to Node Ready, by tier, next to a node that boots? In turns, so that other load on
// the machine affects all of them. Also the first pod on each, and what preparing and keeping a standby node takes.
import { join } from 'node:path';
import { bootOneMore, removeNewest } from '../demo/kubernetes/boots.ts';
import { type KubeCluster, raiseCluster } from '../demo/kubernetes/cluster.ts';
import { genericPoolOptions, imagePoolOptions } from '../demo/kubernetes/pool-options.ts';
import { claimOne } from '../demo/kubernetes/standby.ts';
import { openKubeWorkshop } from '../demo/kubernetes/workshop.ts';
import { openStage, type Stage } from '../demo/stage.ts';
import { formatSpan } from '../src/base/duration.ts';
import { median } from '../src/boot/model/noise.ts';
import { STANDBY_TIERS, type StandbyTier } from '../src/vms/standby.ts';
import type { Bench, Figure } from './figure.ts';
import { quiet } from './stage.ts';

const ROUNDS = Number(process.env.HEADSTART_BENCH_ROUNDS ?? 3);
const GOAL = 0.02;
const [GENERIC, IMAGE] = ['generic', 'image'] as const;

interface Start {
  readyMs: number;
  firstPodMs: number;
}

interface ClaimedStart extends Start {
  /** From `standby up` to parked. */
  prepareMs: number;
  /** The whole command, with the start of the program. */
  commandMs: number;
  diskBytes: number | undefined;
  /** Of the parked instance; absent: it has no process. */
  memoryBytes: number | undefined;
}

export async function measureStandby({ root, folder, progress, interruptible }: Bench): Promise<Figure[]> {
  const signal = interruptible();
  const home = join(folder, 'standby');
  const workshop = await openKubeWorkshop(home, signal);
  try {
    const stage = quiet(openStage({ root, folder, home, signal }));
    const cluster = await raiseCluster(stage);
    const hello = workshop.images.hello.name;
    await stage.ask('pool', 'create', GENERIC, '--count', '0', ...genericPoolOptions(stage, workshop, cluster));
    await stage.ask('pool', 'create', IMAGE, '--count', '0', ...(await imagePoolOptions(stage, workshop, cluster)));
    const booted: Record<typeof GENERIC | typeof IMAGE, Start[]> = { generic: [], image: [] };
    const claimed: Record<StandbyTier, ClaimedStart[]> = { paused: [], frozen: [], stopped: [] };
    for (let round = 1; round <= ROUNDS; round++) {
      for (const kind of [GENERIC, IMAGE]) {
        progress(`round ${round} of ${ROUNDS}: ${kind} node`);
        const { instance, readyMs } = await bootOneMore(stage, home, kind);
        booted[kind].push({ readyMs, firstPodMs: await firstPodMs(cluster, instance, hello) });
        await removeNewest(stage, kind);
      }
      for (const tier of STANDBY_TIERS) {
        progress(`round ${round} of ${ROUNDS}: ${tier} standby node`);
        claimed[tier].push(await measureClaim(stage, cluster, { home, tier, hello }));
      }
    }
    return figuresOf(booted, claimed);
  } finally {
    await workshop.close();
  }
}

async function measureClaim(
  stage: Stage,
  cluster: KubeCluster,
  { home, tier, hello }: { home: string; tier: StandbyTier; hello: string },
): Promise<ClaimedStart> {
  const beganMs = performance.now();
  await stage.ask('standby', 'up', IMAGE, `--${tier}`, '1');
  const prepareMs = performance.now() - beganMs;
  const { pools } = JSON.parse(await stage.ask('standby', 'status', IMAGE, '--json'));
  const { diskBytes, memoryBytes } = pools[0].members[0];
  const claimMs = performance.now();
  const { instance, from, readyMs } = await claimOne(stage, home, IMAGE);
  const commandMs = performance.now() - claimMs;
  if (from !== tier) throw new Error(`${instance} was ${from}, not ${tier}`);
  const podMs = await firstPodMs(cluster, instance, hello);
  await stage.ask('standby', 'down', IMAGE, '--yes');
  await removeNewest(stage, IMAGE);
  return { readyMs, firstPodMs: podMs, prepareMs, commandMs, diskBytes, memoryBytes };
}

async function firstPodMs(cluster: KubeCluster, instance: string, image: string): Promise<number> {
  const beganMs = performance.now();
  const pod = await cluster.runHelloOn(instance, image);
  const tookMs = performance.now() - beganMs;
  await cluster.deletePod(pod);
  return tookMs;
}

function figuresOf(
  booted: Record<'generic' | 'image', Start[]>,
  claimed: Record<StandbyTier, ClaimedStart[]>,
): Figure[] {
  const ready = (starts: readonly Start[]) => starts.map(({ readyMs }) => readyMs);
  const ratios = STANDBY_TIERS.map((tier): Figure => {
    const [generic, cold, own] = [ready(booted.generic), ready(booted.image), ready(claimed[tier])];
    const ratio = median(own) / median(generic);
    return {
      name: `a ${tier} standby node, against a generic node: claim to Ready`,
      goal: tier === 'frozen' ? `at most ${GOAL}` : 'none, reported',
      met: tier !== 'frozen' || ratio <= GOAL,
      said: `${ratio.toFixed(3)}: ${all(own)} against ${all(generic)}; of a cold boot (${all(cold)}): ${(median(own) / median(cold)).toFixed(3)}`,
      measured: { claimed: claimed[tier], generic: booted.generic, cold: booted.image },
    };
  });
  const rows: [string, readonly Start[]][] = [
    ...Object.entries(booted),
    ...STANDBY_TIERS.map((tier): [string, Start[]] => [tier, claimed[tier]]),
  ];
  return [
    ...ratios,
    reported(
      'the first pod on a node: created to Ready',
      rows.map(([kind, starts]) => `${kind} ${all(starts.map((one) => one.firstPodMs))}`).join('; '),
    ),
    reported(
      'preparing a standby node, until it is parked',
      STANDBY_TIERS.map((tier) => `${tier} ${all(claimed[tier].map((one) => one.prepareMs))}`).join('; '),
    ),
    reported('what a parked node takes', STANDBY_TIERS.map((tier) => `${tier} ${useOf(claimed[tier])}`).join('; ')),
    reported(
      'the whole command `standby claim`',
      STANDBY_TIERS.map((tier) => `${tier} ${all(claimed[tier].map((one) => one.commandMs))}`).join('; '),
    ),
  ];
}

const reported = (name: string, said: string): Figure => ({
  name,
  goal: 'none, reported',
  met: true,
  said,
  measured: {},
});

/** Every value: three are too few for a spread. */
function all(valuesMs: readonly number[]): string {
  const span = (ms: number) => formatSpan(Math.round(ms / 10) * 10_000);
  return valuesMs.map(span).join(', ');
}

function useOf(starts: readonly ClaimedStart[]): string {
  const megabytes = (bytes: (number | undefined)[]) =>
    `${Math.round(median(bytes.filter((one) => one !== undefined)) / 1e6)} MB`;
  const memory = starts.some(({ memoryBytes }) => memoryBytes !== undefined)
    ? `${megabytes(starts.map((one) => one.memoryBytes))} of private memory`
    : 'no memory';
  return `${megabytes(starts.map((one) => one.diskBytes))} on disk, ${memory}`;
}
