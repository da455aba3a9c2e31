// node/status/files.ts: where can anybody on the node read how it is? Files that are gone with the boot, written only when they change.
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../base/files.ts';

/** Below the root. */
export const STATUS_PATH = 'run/headstart/status.json';
export const METRICS_PATH = 'run/headstart/node.prom';

export interface StatusFiles {
  /** Does nothing when the file holds it already. Throws what the file system says. */
  write(path: string, text: string): void;
}

export function statusFiles(root: string): StatusFiles {
  const written = new Map<string, string>();
  return {
    write(path, text) {
      if (written.get(path) === text) return;
      const file = join(root, path);
      // The umask of the daemon is for what others may not read; this is for everybody.
      if (mkdirSync(dirname(file), { recursive: true, mode: 0o755 }) !== undefined) chmodSync(dirname(file), 0o755);
      writeFileAtomic(file, text, 0o644);
      written.set(path, text);
    },
  };
}
