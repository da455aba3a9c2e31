// cli/cluster/token.ts: `headstart cluster token`: creates a short-lived token for nodes to join with, or a bootstrap kubeconfig.
import { accessSync, constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Option } from 'commander';
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { whyUnwritable } from '../../base/why-unreadable.ts';
import {
  clusterFiles,
  GUEST_PORT,
  readClusterRecord,
  readIfExists,
  writePrivate,
} from '../../cluster/local/cluster-files.ts';
import { bootstrapKubeconfig } from '../../cluster/local/joining.ts';
import { noSuchCluster } from '../../cluster/local/no-such-cluster.ts';
import {
  type ClusterOptions,
  clusterPlace,
  type OpenPlane,
  openPlane,
  withClusterOptions,
} from '../compose/open-plane.ts';
import { printJson } from '../output/json.ts';
import { timeSpan } from '../pool/arguments.ts';
import type { Verb } from '../verb.ts';
import { printClusterPlan } from './plan.ts';

interface Options extends ClusterOptions {
  ttl: number;
  output?: string;
  dryRun?: boolean;
}

export const verb = clusterToken(openPlane);

export function clusterToken(open: OpenPlane): Verb {
  return {
    examples: ['cluster token --ttl 1h', 'cluster token -o bootstrap.kubeconfig'],
    configure: (command) =>
      withClusterOptions(command)
        .addOption(
          new Option('--ttl <SPAN>', 'how long the token is valid').argParser(timeSpan).default(timeSpan('1h'), '1h'),
        )
        .option(
          '-o, --output <FILE>',
          'write a bootstrap kubeconfig, readable by you only, instead of printing the token',
        )
        .option('--dry-run', 'print what would be created, and create nothing'),
    async run(_args, options: Options, deps) {
      const place = clusterPlace(options, deps.env);
      const record = readClusterRecord(place);
      if (!record) throw noSuchCluster(place);
      if (options.dryRun) {
        const what = `create a token with which nodes can join for ${formatSpan(options.ttl * 1000)}`;
        const where = options.output === undefined ? [] : [`write ${resolve(options.output)}`];
        return printClusterPlan(deps, place.name, [what, ...where], options);
      }
      const { kubeconfig, pki } = clusterFiles(place);
      // Before the token is created: a token that cannot be written would be lost.
      if (options.output !== undefined)
        orUnwritable(options.output, () => accessSync(dirname(resolve(options.output!)), constants.W_OK));
      const { id, token, expiresMs } = await open(deps).createToken(kubeconfig, options.ttl);
      if (options.output !== undefined) {
        const ca = readIfExists(join(pki, 'ca.crt')) ?? '';
        const server = `https://${record.guestAddress}:${GUEST_PORT}`;
        write(resolve(options.output), bootstrapKubeconfig(server, ca, token).reveal());
      }
      const written = options.output === undefined ? { token: token.reveal() } : { file: resolve(options.output) };
      if (options.json) return printJson(deps, 'ClusterToken', { cluster: place.name, id, expiresMs, ...written });
      deps.stdout(`${written.token ?? written.file}\n`);
    },
  };
}

function write(path: string, text: string): void {
  orUnwritable(path, () => writePrivate(path, `${text}\n`));
}

function orUnwritable(path: string, act: () => void): void {
  try {
    act();
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UserError(`cannot write ${path}: ${whyUnwritable(cause)}`, {
      code: 'cluster/unwritable',
      next: 'name a file in a writable folder with -o',
      cause,
    });
  }
}
