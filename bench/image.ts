// bench/image.ts: how long does a first image build take, the next patch version, and ten versions at once?
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeImageInputs } from '../e2e/programs/ensure-image.ts';
import { ensureKubelet } from '../e2e/programs/ensure-kube.ts';
import type { Bench, Figure } from './figure.ts';
import { measure } from './measure.ts';

/** Ten builds of one kubelet, each stamped with another version. */
const VERSIONS = Array.from({ length: 10 }, (_, patch) => `1.35.${patch}`);
const GOALS = { cold: 600, next: 0.2, ten: 2.5 } as const;

export async function measureImage({ folder, headstart, progress }: Bench): Promise<Figure[]> {
  const kubelets = new Map<string, string>();
  for (const version of VERSIONS) {
    progress(`kubelet ${version}`);
    kubelets.set(version, await ensureKubelet(`v${version}`));
  }
  const work = join(folder, 'image');
  mkdirSync(work);
  const { manifest, mirrors } = await writeImageInputs(work, kubelets);
  const lock = join(work, 'image.lock.json');
  const image = async (verb: string, ...args: string[]): Promise<number> => {
    progress(`image ${verb}${args.includes('--kubernetes') ? ` of ${args.at(-1)}` : ''}`);
    const { seconds, code } = await measure([headstart, 'image', verb, '--mirrors', mirrors, ...args]);
    if (code !== 0) throw new Error(`headstart image ${verb} ${args.join(' ')} ended with ${code}`);
    return seconds;
  };
  await image('lock', '-f', manifest, '-o', lock, '--cache', join(work, 'lock cache'));
  const [one, all] = ['one', 'all'].map((name) => ['--lock', lock, '--cache', join(work, name)]) as [
    string[],
    string[],
  ];
  const out = ['--out', join(work, 'images')];
  const cold = await image('build', ...one, ...out, '--kubernetes', VERSIONS[0]!);
  const next = await image('build', ...one, ...out, '--kubernetes', VERSIONS[1]!);
  rmSync(join(work, 'images'), { recursive: true });
  rmSync(join(work, 'one'), { recursive: true });
  const ten = await image('build', ...all, ...out);
  const seconds = (value: number) => `${value.toFixed(1)} s`;
  return [
    {
      name: 'image: one, from nothing (packages fetched, base layer, disks)',
      goal: `at most ${GOALS.cold / 60} minutes`,
      met: cold <= GOALS.cold,
      said: seconds(cold),
      measured: { cold },
    },
    {
      name: 'image: the next patch version, on the warm cache',
      goal: `at most ${GOALS.next * 100} % of that`,
      met: next <= GOALS.next * cold,
      said: `${seconds(next)}, ${((100 * next) / cold).toFixed(0)} %`,
      measured: { next },
    },
    {
      name: 'image: ten patch versions, from nothing',
      goal: `at most ${GOALS.ten} times one`,
      met: ten <= GOALS.ten * cold,
      said: `${seconds(ten)}, ${(ten / cold).toFixed(2)} times`,
      measured: { ten },
    },
  ];
}
