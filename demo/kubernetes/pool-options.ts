// demo/kubernetes/pool-options.ts: the options of `headstart pool create` for each kind of node: generic, and from an image of ours.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_ADDRESS } from '../bootstrap.ts';
import type { Stage } from '../stage.ts';
import type { KubeCluster } from './cluster.ts';
import { genericNode } from './generic-node.ts';
import { type ImageNode, imageDocument } from './image-node.ts';
import { READY_UNIT } from './settings.ts';
import { KUBELET } from './shelf.ts';
import { archiveName, type KubeWorkshop } from './workshop.ts';

/** Bootstrapped by cloud-init on its first boot. */
export function genericPoolOptions(stage: Stage, workshop: KubeWorkshop, cluster: KubeCluster): string[] {
  const file = join(stage.folder, 'bootstrap.yaml');
  const images = Object.keys(workshop.images).map(archiveName);
  const pauseImage = workshop.images.pause.name;
  writeFileSync(
    file,
    genericNode({ ca: cluster.ca, packages: workshop.packages, kubelet: KUBELET, images, pauseImage }),
  );
  return [
    ...['--cluster', cluster.name, '--custom-data', file, '--ready-unit', READY_UNIT],
    ...['--service', `${SERVER_ADDRESS}:80=127.0.0.1:${workshop.server.port}`],
  ];
}

/** Configured from its metadata; the image is published first. */
export async function imagePoolOptions(stage: Stage, workshop: KubeWorkshop, cluster: KubeCluster): Promise<string[]> {
  // The image is tested elsewhere.
  const published: { id: string } = JSON.parse(
    lastLine(await stage.ask('image', 'publish', workshop.imageFolder, '--vms', 'qemu', '--untested', '--json')),
  );
  const file = writeDocument(stage, workshop, cluster, { generation: 1 });
  return ['--cluster', cluster.name, '--image', published.id, '--user-data', file, '--ready-unit', READY_UNIT];
}

/** For `pool set --user-data`. */
export function writeDocument(
  stage: Stage,
  { kubernetes }: KubeWorkshop,
  { name, ca }: KubeCluster,
  asked: Pick<ImageNode, 'generation' | 'kubelet' | 'sysctls'>,
): string {
  const file = join(stage.folder, `node-${asked.generation}.json`);
  writeFileSync(file, imageDocument({ cluster: name, ca, kubernetes, ...asked }));
  return file;
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';
