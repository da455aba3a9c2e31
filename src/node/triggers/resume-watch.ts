// node/triggers/resume-watch.ts: did the machine sleep? A hibernated or paused machine misses nothing but time: the wall
// clock is ahead of the monotonic clock when it resumes. Used only in standby, where a resume is the sign of a claim.
import type { Clock } from '../../base/clock.ts';

const CHECK_EVERY_MS = 1000;
/** Larger than a correction by a time service, and shorter than any sleep of a machine. */
const JUMP_MS = 5000;

export interface ResumeWatchDeps {
  clock: Clock;
  /** Monotonic. */
  steadyMs(): number;
  onResume(sleptMs: number): void;
}

/** Ends after `signal`. */
export async function watchForResume(
  { clock, steadyMs, onResume }: ResumeWatchDeps,
  signal: AbortSignal,
): Promise<void> {
  const skew = () => clock.nowMs() - steadyMs();
  let last = skew();
  while (!signal.aborted) {
    await clock.sleep(CHECK_EVERY_MS, signal).catch(() => {});
    const now = skew();
    if (!signal.aborted && now - last >= JUMP_MS) onResume(now - last);
    last = now;
  }
}
