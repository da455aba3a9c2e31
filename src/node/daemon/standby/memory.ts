// node/daemon/standby/memory.ts: was this instance in standby when the last daemon ended? A file, so that an instance
// that is rebooted in standby looks at its metadata before it joins. Every other node has no such file and does not wait.
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../../base/files.ts';
import { isObject, type Json } from '../../../schema/json.ts';
import { STORE } from '../../apply/folder.ts';
import { readPlainFile } from '../../observe/plain-file.ts';
import type { Log } from '../../status/log.ts';
import type { NodeStandby } from '../state.ts';

/** Times are those of the daemon's monotonic clock. */
export interface StandbyMemory {
  load(): Pick<NodeStandby, 'where' | 'sinceMs' | 'isWoken'> | undefined;
  /** Undefined: the instance is not in standby. On disk when it returns. */
  save(standby: Pick<NodeStandby, 'where' | 'sinceMs'> | undefined): void;
}

export interface StandbyMemoryDeps {
  root: string;
  bootId: string;
  /** The wall clock minus the daemon's monotonic clock. */
  skewMs(): number;
  log: Log;
}

/** Relative to the root. */
export const STANDBY_PATH = `${STORE.slice(1)}/standby.json`;
const MAX_BYTES = 4096;

export function standbyMemory({ root, bootId, skewMs, log }: StandbyMemoryDeps): StandbyMemory {
  const path = join(root, STANDBY_PATH);
  return {
    load() {
      const text = readText(path);
      if (text === undefined) return undefined;
      const { where, since, bootId: savedIn } = parse(text);
      const sinceMs = typeof since === 'string' ? Date.parse(since) : Number.NaN;
      return {
        where: where === 'parked' ? 'parked' : 'pool',
        // A file that cannot be understood still says that the instance was in standby.
        sinceMs: (Number.isNaN(sinceMs) ? Date.now() : sinceMs) - skewMs(),
        isWoken: savedIn !== bootId,
      };
    },
    save(standby) {
      try {
        if (standby === undefined) return rmSync(path, { force: true });
        const since = new Date(standby.sinceMs + skewMs()).toISOString();
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileAtomic(path, `${JSON.stringify({ where: standby.where, since, bootId })}\n`, 0o600);
      } catch (error) {
        log(
          'error',
          `could not save that the instance is ${standby ? '' : 'no longer '}in standby: ${(error as Error).message}`,
        );
      }
    },
  };
}

/** Undefined: there is no file. */
function readText(path: string): string | undefined {
  try {
    const bytes = readPlainFile(path, MAX_BYTES);
    return bytes && Buffer.from(bytes).toString('utf8');
  } catch {
    return '';
  }
}

function parse(text: string): Readonly<Record<string, Json | undefined>> {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
