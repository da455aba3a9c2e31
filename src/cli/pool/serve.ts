// cli/pool/serve.ts: `headstart pool serve`: lets cluster-autoscaler scale local pools.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import { holdPools } from '../../local/autoscaler/hold-pools.ts';
import { openNodeGroup } from '../../local/autoscaler/node-group.ts';
import { openNodeIds } from '../../local/autoscaler/node-ids.ts';
import type { ListenAddress, ServerTls } from '../../local/autoscaler/serve.ts';
import { templateNode } from '../../local/autoscaler/template-node.ts';
import { listLocalNodes } from '../../local/list-nodes.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { printJson, printJsonLine } from '../output/json.ts';
import { showProgress } from '../output/progress.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { homeFolder } from './home.ts';
import { nodeFactsOf } from './node-facts.ts';
import {
  addServedPool,
  type FoundPool,
  isLoopback,
  listenAddress,
  type ServedPool,
  servedPools,
} from './served-pools.ts';

interface Options extends PoolOptions {
  pool?: ServedPool[];
  listen: ListenAddress;
  cert?: string;
  key?: string;
  clientCa?: string;
  dryRun?: boolean;
}

export const verb = poolServe(openPools);

export function poolServe(open: OpenPools): Verb {
  return {
    examples: [
      'pool serve --pool pool1:0:5',
      'pool serve --listen 0.0.0.0:8086 --cert s.pem --key s.key --client-ca ca.pem',
    ],
    notes: 'Ends with Ctrl-C or SIGTERM. docs/autoscaler.md shows the settings of cluster-autoscaler.',
    configure: (command) =>
      withPoolOptions(command)
        .option(
          '--pool <NAME[:MIN:MAX]>',
          'a pool that the autoscaler may scale, and its limits (0 and 10); repeatable; default: all pools',
          addServedPool,
        )
        .addOption(
          new Option('--listen <HOST:PORT>', 'the address to listen on')
            .argParser(listenAddress)
            .default(listenAddress('8086'), '127.0.0.1:8086'),
        )
        .option('--cert <FILE>', 'the certificate of this server (PEM); required for an address other than loopback')
        .option('--key <FILE>', 'its private key')
        .option('--client-ca <FILE>', 'the authority whose certificates clients must have')
        .option('--dry-run', 'print the node groups, and start nothing'),
    async run(_, options: Options, deps) {
      const signal = deps.signal();
      const tls = tlsOf(options);
      const provider = await open(options, deps, options.dryRun ? 'read' : 'run');
      const pools = await servedPools(provider, options.pool, signal);
      if (options.dryRun)
        return announce('AutoscalerPlan', options.listen, pools, { ...options, isSecure: !!tls }, deps);
      const names = pools.map(({ name }) => name).sort();
      await holdPools(homeFolder(options, deps.env), names, () =>
        serve({ provider, pools, tls, options, signal }, deps),
      );
    },
  };
}

interface ServerScene {
  provider: QemuProvider;
  pools: readonly FoundPool[];
  tls: ServerTls | undefined;
  options: Options;
  signal: AbortSignal;
}

async function serve({ provider, pools, tls, options, signal }: ServerScene, deps: CliDeps): Promise<void> {
  const { serveAutoscaler } = await import('../../local/autoscaler/serve.ts');
  const progress = showProgress(deps, 'AutoscalerEvent', options);
  const home = homeFolder(options, deps.env);
  const mark = randomUUID().slice(0, 8);
  const groups = pools.map(({ ref, min, max }) =>
    openNodeGroup({ pool: ref, min, max }, { provider, report: progress.step, signal, mark }),
  );
  const server = await serveAutoscaler(options.listen, tls, {
    groups,
    nodeIds: openNodeIds({
      clusterOf: async (ref) => (await provider.pools.readSpec(ref)).cluster,
      listNodes: (name) => listLocalNodes({ home, name }),
    }),
    async template({ pool: { id, name } }) {
      const ref = { id, name };
      const [spec, pool] = await Promise.all([provider.pools.readSpec(ref), provider.pools.readPool(ref)]);
      const { architecture = 'x64' } = pool?.model ?? {};
      return templateNode({ pool: name, size: spec.size, architecture }, await nodeFactsOf(spec, deps.nowUs() / 1000));
    },
    onBug: (error) => progress.step(`bug: ${error instanceof Error ? error.stack : String(error)}`),
  });
  const address = { host: server.host, port: server.port };
  announce('AutoscalerServer', address, pools, { ...options, isSecure: tls !== undefined }, deps);
  // What an earlier server was asked for.
  void Promise.allSettled(groups.map((group) => group.settle()));
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await server.stop();
  await Promise.allSettled(groups.map((group) => group.ended())); // a node that is being made is finished, or taken back
  progress.end();
}

interface Looks {
  json?: boolean;
  isSecure: boolean;
}

function announce(
  kind: 'AutoscalerPlan' | 'AutoscalerServer',
  listen: ListenAddress,
  pools: readonly FoundPool[],
  looks: Looks,
  deps: CliDeps,
): void {
  const address = `${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${listen.port}`;
  const groups = pools.map(({ name, min, max, size }) => ({ name, min, max, size }));
  if (looks.json) {
    const body = { address, isSecure: looks.isSecure, groups };
    if (kind === 'AutoscalerPlan') printJson(deps, 'AutoscalerPlan', body);
    else printJsonLine(deps, 'AutoscalerServer', body);
    return;
  }
  const prefix = kind === 'AutoscalerPlan' ? 'would listen on' : 'listening on';
  deps.stdout(`${prefix} ${address}${looks.isSecure ? ' with TLS' : ''}\n`);
  for (const { name, min, max, size } of groups) deps.stdout(`  ${name}: ${size} now, from ${min} to ${max}\n`);
}

/** Callers can create and delete VMs. */
function tlsOf({ listen, cert, key, clientCa }: Options): ServerTls | undefined {
  const given = [cert, key, clientCa].filter((one) => one !== undefined).length;
  if (given === 0 && isLoopback(listen)) return undefined;
  if (given === 3) return { cert: read(cert!), key: read(key!), clientCa: read(clientCa!) };
  throw new UserError(
    given === 0
      ? `${listen.host} is not the loopback address, so clients must be authenticated`
      : 'TLS needs --cert, --key and --client-ca',
    {
      code: 'pool/no-tls',
      kept: 'Nothing was started.',
      next: 'give all three of --cert, --key and --client-ca, or listen on 127.0.0.1',
    },
  );
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new UserError(`cannot read ${path}: ${whyUnreadable(cause)}`, {
      code: 'pool/unreadable',
      kept: 'Nothing was started.',
      next: 'name existing files with --cert, --key and --client-ca',
      cause,
    });
  }
}
