// node/metadata/file.ts: a document in a file, for machines without a platform, for tests and for `headstart node apply FILE`.

import { MAX_TEXT_BYTES } from '../document/unwrap.ts';
import { readPlainFile } from '../observe/plain-file.ts';
import { MetadataFailure, type MetadataSource } from './source.ts';

export function fileSource(path: string): MetadataSource {
  return {
    name: path,
    isFixed: true,
    async fetch() {
      return { document: readDocument(path), instance: { platform: 'file', addresses: [], tags: {} } };
    },
  };
}

function readDocument(path: string): Uint8Array | undefined {
  try {
    return readPlainFile(path, MAX_TEXT_BYTES);
  } catch (error) {
    throw new MetadataFailure('metadata/bad-answer', (error as Error).message, { isFinal: true, cause: error });
  }
}
