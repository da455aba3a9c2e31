// cli/pool/create.ts: `headstart pool create NAME`: creates a pool of VMs on this machine from one image.

import { UserError } from '../../base/errors.ts';
import { Conflict } from '../../base/failures.ts';
import { checkClusterName, readClusterRecord } from '../../cluster/local/cluster-files.ts';
import { noSuchCluster } from '../../cluster/local/no-such-cluster.ts';
import { awaitAllUp } from '../../local/await-up.ts';
import type { PoolSpec, QemuProvider, Service } from '../../vms/qemu/local-provider.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import { screenOf } from '../output/screen.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { addService, parseUnitName, poolName, readData, timeoutOption, wholeNumber } from './arguments.ts';
import { printPoolPlan } from './dry-run.ts';
import { homeFolder } from './home.ts';
import { DEFAULT_IMAGE, resolvePoolImage } from './image.ts';
import { describeSize, readPoolView, renderPool, shortImageName } from './view.ts';

interface Options extends PoolOptions {
  image: string;
  count: number;
  customData?: string;
  userData?: string;
  cpus: number;
  memory: number;
  disk: number;
  service?: Service[];
  readyUnit?: string;
  cluster?: string;
  wait: boolean;
  timeout: number;
  dryRun?: boolean;
}

export const verb = poolCreate(openPools);

export function poolCreate(open: OpenPools): Verb {
  return {
    examples: [
      'pool create pool1 --count 3',
      'pool create pool1 --custom-data bootstrap.yaml --service 168.0.0.100:80=127.0.0.1:8080',
      'pool create nodes --cluster local --image node-1.35.8 --user-data node-config.yaml',
    ],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<NAME>', 'the name of the new pool: lower-case letters, digits and dashes')
        .option(
          '--image <IMAGE>',
          'the image: DEFINITION or GALLERY/DEFINITION for its newest version, or GALLERY/DEFINITION/VERSION',
          DEFAULT_IMAGE,
        )
        .option('--count <N>', 'how many instances', wholeNumber(0, 100), 1)
        .option(
          '--custom-data <FILE>',
          'the custom data of new instances, which run it at first boot: cloud-config or a script',
        )
        .option(
          '--user-data <FILE>',
          'the user data that the metadata service gives to instances; `pool set` changes it later',
        )
        .option('--cpus <N>', 'CPUs of each instance', wholeNumber(1, 64), 2)
        .option('--memory <MB>', 'memory of each instance', wholeNumber(256, 1 << 20), 1024)
        .option(
          '--disk <GB>',
          'disk of each instance; uses only as much space as it has data',
          wholeNumber(1, 1 << 14),
          8,
        )
        .option(
          '--service <ADDRESS:PORT=HOST:PORT>',
          'let instances reach HOST:PORT as ADDRESS:PORT; repeatable',
          addService,
        )
        .option('--ready-unit <UNIT>', 'an instance is up when this systemd unit is active', parseUnitName)
        .option(
          '--cluster <NAME>',
          'join instances to this cluster of `cluster up`; an instance is up when its node is Ready',
        )
        .option('--no-wait', 'return once the instances have started, without waiting until they are up')
        .addOption(timeoutOption('fail if an instance is not up after this time', '15min'))
        .option('--dry-run', 'print what would be created, and create nothing'),
    async run([name = ''], options: Options, deps) {
      poolName(name);
      const given = specOf(name, options);
      if (options.cluster !== undefined) requireCluster(options.cluster, options, deps);
      const signal = deps.signal();
      const provider = await open(options, deps, 'run');
      const image = await resolvePoolImage(provider, options.image, signal);
      const spec: PoolSpec = { ...given, image: { kind: 'version', id: image.id } };
      if (options.dryRun) return printPoolPlan(deps, name, changesOf(spec, options.count), options);

      const progress = showProgress(deps, 'PoolEvent', options);
      progress.step(`creating pool ${name} from ${shortImageName(spec.image)}`);
      const kept = `The parts of pool ${name} that were created stay.`;
      const next = `headstart pool show ${name} shows the state; \`headstart pool scale ${name} ${options.count}\` continues, \`headstart pool delete ${name}\` removes it`;
      await orInterrupted(signal, { code: 'pool/interrupted', kept, next }, async () => {
        const call = { signal, onWaiting: progress.waiting };
        const pool = await createNew(provider, spec, call);
        if (options.count > 0) progress.step(`starting ${options.count} instance${options.count === 1 ? '' : 's'}`);
        const instances = await provider.pools.setCapacity(pool.ref, options.count, call);
        if (options.wait)
          await awaitAllUp(provider.guests, instances, {
            onWaiting: progress.waiting,
            deadlineMs: options.timeout,
            signal,
          }).finally(progress.end);
      });
      progress.end();
      const view = await readPoolView(
        provider,
        (await provider.pools.readPool({ id: `pools/${name}`, name }))!,
        signal,
      );
      if (options.json) return printJsonLine(deps, 'Pool', view);
      deps.stdout(renderPool(view, deps.nowUs() / 1000, screenOf(deps)));
    },
  };
}

/** Checked before anything is created: instances of a missing cluster could never start. */
function requireCluster(cluster: string, options: Options, { env }: CliDeps): void {
  const place = { home: homeFolder(options, env), name: checkClusterName(cluster) };
  if (!readClusterRecord(place)) throw noSuchCluster(place);
}

function specOf(name: string, options: Options): Omit<PoolSpec, 'image'> {
  return {
    name,
    ...(options.customData !== undefined && { customData: readData(options.customData, '--custom-data') }),
    ...(options.userData !== undefined && { userData: readData(options.userData, '--user-data') }),
    extensions: [],
    size: { cpus: options.cpus, memoryMb: options.memory, diskGb: options.disk },
    services: options.service ?? [],
    ...(options.readyUnit !== undefined && { readyUnit: options.readyUnit }),
    ...(options.cluster !== undefined && { cluster: options.cluster }),
    tags: {},
  };
}

function changesOf(spec: PoolSpec, count: number): string[] {
  return [
    `create pool ${spec.name} from ${shortImageName(spec.image)}`,
    `create and start ${count} instance${count === 1 ? '' : 's'}, each with ${describeSize(spec.size)}`,
    ...(spec.cluster === undefined ? [] : [`join them to cluster ${spec.cluster}`]),
    ...spec.services.map(({ address, port, to }) => `let them reach ${to.host}:${to.port} as ${address}:${port}`),
  ];
}

async function createNew(
  provider: QemuProvider,
  spec: PoolSpec,
  call: Parameters<QemuProvider['pools']['createPool']>[1],
) {
  try {
    return await provider.pools.createPool(spec, call);
  } catch (cause) {
    if (!(cause instanceof Conflict)) throw cause;
    throw new UserError(`pool ${spec.name} already exists`, {
      code: 'pool/exists',
      kept: 'It was not changed.',
      next: `headstart pool show ${spec.name}; headstart pool scale ${spec.name} N`,
      exitCode: 1,
      cause,
    });
  }
}
