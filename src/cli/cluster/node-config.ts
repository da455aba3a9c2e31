// cli/cluster/node-config.ts: `headstart cluster node-config`: prints the user data with which an instance of a headstart image joins a local cluster.
import { join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { stringify } from 'yaml';
import { UserError } from '../../base/errors.ts';
import { clusterFiles, GUEST_PORT, readClusterRecord, readIfExists } from '../../cluster/local/cluster-files.ts';
import { noSuchCluster } from '../../cluster/local/no-such-cluster.ts';
import { nodeDocument } from '../../local/node-document.ts';
import { type ClusterOptions, clusterPlace, withClusterOptions } from '../compose/open-plane.ts';
import { writeAnswerFile } from '../output/answer-file.ts';
import { printJson } from '../output/json.ts';
import { wholeNumber } from '../pool/arguments.ts';
import type { Verb } from '../verb.ts';

interface Options extends ClusterOptions {
  kubernetes?: string;
  generation: number;
  bridge: boolean;
  output?: string;
}

export const verb: Verb = {
  examples: ['cluster node-config -o node-config.yaml', 'cluster node-config --kubernetes 1.35.7 --generation 2'],
  configure: (command) =>
    withClusterOptions(command)
      .option(
        '--kubernetes <VERSION>',
        'the Kubernetes version of the image; default: the version of the cluster',
        kubernetesVersion,
      )
      .option(
        '--generation <N>',
        'the generation of the document; increase it with each change',
        wholeNumber(1, 1e9),
        1,
      )
      .option('--no-bridge', 'leave out the bridge network for pods, if another CNI plugin is used')
      .option('-o, --output <FILE>', 'write to this file instead of standard output'),
  async run(_args, options: Options, deps) {
    const place = clusterPlace(options, deps.env);
    const record = readClusterRecord(place);
    if (!record) throw noSuchCluster(place);
    const ca = readIfExists(join(clusterFiles(place).pki, 'ca.crt'));
    if (ca === undefined) {
      throw new UserError(`the CA certificate of cluster ${place.name} is missing`, {
        code: 'cluster/no-certificate',
        next: `headstart cluster up --name ${place.name}`,
        exitCode: 1,
      });
    }
    const document = nodeDocument({
      cluster: place.name,
      endpoint: `https://${record.guestAddress}:${GUEST_PORT}`,
      ca,
      kubernetes: options.kubernetes ?? record.kubernetes.replace(/^v/, ''),
      generation: options.generation,
      hasBridge: options.bridge,
    });
    const text = stringify(document);
    if (options.output === undefined)
      return options.json ? printJson(deps, 'ClusterNodeConfig', { document }) : deps.stdout(text);
    const file = resolve(options.output);
    writeAnswerFile(file, Buffer.from(text), 'cluster/unwritable');
    if (options.json) return printJson(deps, 'ClusterNodeConfig', { document, file });
    deps.stdout(`${file}\n`);
  },
};

function kubernetesVersion(text: string): string {
  const version = /^v?(\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (version !== undefined) return version;
  throw new InvalidArgumentError(`"${text}" is not a version such as 1.35.8.`);
}
