// node/metadata/choose.ts: where does this node's document come from? From the file or platform that a person names, else from the detected
// platform, else from a file.
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
  /** Instead of the detected platform. */
  platform?: MetadataPlatform | undefined;
  /** Instead of the platform's address. */
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

/** Custom data cannot change, and every read mounts a disk, so a document is cached. Without a document it reads again, because the disk may appear later. */
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
