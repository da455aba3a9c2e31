// node/metadata/choose.ts: where does this node's document come from? What a person says, or what the platform is; without one, a file.
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { RunCommand } from '../../base/command.ts';
import { azureSource } from './azure.ts';
import { customDataSource } from './custom-data.ts';
import { detectPlatform, type MetadataPlatform } from './detect.ts';
import { ec2Source } from './ec2.ts';
import { fileSource } from './file.ts';
import { type FetchedMetadata, firstOf, type MetadataSource } from './source.ts';

export interface SourceOptions {
  root: string;
  clock: Clock;
  run: RunCommand;
  newRequestId(): string;
  /** Instead of any platform. */
  file?: string | undefined;
  /** Instead of what the firmware says. */
  platform?: MetadataPlatform | undefined;
  /** Instead of the platform's own address. */
  url?: string | undefined;
}

/** Below the root: for machines without a platform. */
export const DOCUMENT_FILE = 'etc/headstart/node-config.yaml';

export function chooseSource(options: SourceOptions): MetadataSource {
  const { root, clock, run, newRequestId, file, url } = options;
  if (file !== undefined) return fileSource(file);
  const address = url === undefined ? {} : { url };
  switch (options.platform ?? detectPlatform(root)) {
    case 'azure':
      return firstOf([azureSource({ clock, newRequestId, ...address }), readOnce(customDataSource({ root, run }))]);
    case 'ec2':
      return ec2Source({ clock, ...address });
    default:
      return fileSource(join(root, DOCUMENT_FILE));
  }
}

/** What is there cannot change, and every look at it mounts a disk; one that is not there may not have been found yet. */
function readOnce(source: MetadataSource): MetadataSource {
  let known: FetchedMetadata | undefined;
  return {
    ...source,
    async fetch(options) {
      const fetched = known ?? (await source.fetch(options));
      if (fetched.document !== undefined) known = fetched;
      return fetched;
    },
  };
}
