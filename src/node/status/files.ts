// node/status/files.ts: where can every user of the node read its status? In files on a tmpfs that are written only
// when they change.
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../base/files.ts';

/** Below the root. */
export const STATUS_PATH = 'run/headstart/status.json';
export const METRICS_PATH = 'run/headstart/node.prom';

export interface StatusFiles {
  /** Does nothing if the last write to `path` had the same text. Throws errors of the file system. */
  write(path: string, text: string): void;
}

export function statusFiles(root: string): StatusFiles {
  const written = new Map<string, string>();
  return {
    write(path, text) {
      if (written.get(path) === text) return;
      const file = join(root, path);
      // The daemon's umask is restrictive, but every user may read these files.
      if (mkdirSync(dirname(file), { recursive: true, mode: 0o755 }) !== undefined) chmodSync(dirname(file), 0o755);
      writeFileAtomic(file, text, 0o644);
      written.set(path, text);
    },
  };
}
