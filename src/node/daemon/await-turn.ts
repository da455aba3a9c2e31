// node/daemon/await-turn.ts: when may a daemon that starts early in the boot read the node? Once a unit has created a
// file: then the clone check has run, and file systems and settings are in place.
import { existsSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';

const CHECK_EVERY_MS = 25;
const LONG_MS = 60_000;

export interface TurnOptions {
  /** Undefined: do not wait. */
  file: string | undefined;
  clock: Clock;
  signal: AbortSignal;
  /** Work to do while waiting; it must not depend on the state of the node. */
  meanwhile(): Promise<void>;
  /** Called once if the wait takes longer than LONG_MS. */
  onLong(): void;
}

export async function awaitTurn({ file, clock, signal, meanwhile, onLong }: TurnOptions): Promise<void> {
  if (file === undefined || existsSync(file)) return;
  await meanwhile();
  for (let waitedMs = 0; !existsSync(file); waitedMs += CHECK_EVERY_MS) {
    if (waitedMs === LONG_MS) onLong();
    await clock.sleep(CHECK_EVERY_MS, signal);
  }
}
