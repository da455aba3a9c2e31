// node/daemon/await-turn.ts: when may a daemon that was started with the machine look at it? Once its unit says so by a file: the identity is this
// machine's own then, and what others set up while it starts is set up.
import { existsSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';

const LOOK_EVERY_MS = 25;
const LONG_MS = 60_000;

export interface TurnOptions {
  /** Undefined: at once. */
  file: string | undefined;
  clock: Clock;
  signal: AbortSignal;
  /** What can be done until then; nothing of it may depend on what it finds. */
  meanwhile(): Promise<void>;
  /** Once, when it takes longer than any machine should. */
  onLong(): void;
}

export async function awaitTurn({ file, clock, signal, meanwhile, onLong }: TurnOptions): Promise<void> {
  if (file === undefined || existsSync(file)) return;
  await meanwhile();
  for (let waitedMs = 0; !existsSync(file); waitedMs += LOOK_EVERY_MS) {
    if (waitedMs === LONG_MS) onLong();
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
