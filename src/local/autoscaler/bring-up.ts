// local/autoscaler/bring-up.ts: waits for the nodes that a group made. Without it their extensions do not run, a hung VM is not reset, the events
// of their joining are not logged, and their bootstrap tokens stay valid until they expire.
import type { Instance } from '../../vms/pools.ts';
import type { Guests } from '../../vms/qemu/local-provider.ts';

export interface BringUp {
  /** Returns at once. */
  start(instance: Instance): void;
  /** For an instance that is being deleted. */
  leave(id: string): void;
  /** Resolves when no instance is waited for. */
  ended(): Promise<void>;
}

export interface BringUpDeps {
  guests: Pick<Guests, 'awaitUp'>;
  /** Sentences about nodes that did not come up. */
  report(what: string): void;
  /** Ends all waiting. */
  signal: AbortSignal;
}

/** As in `pool scale`. */
const DEADLINE_MS = 15 * 60_000;

export function openBringUp({ guests, report, signal: stopping }: BringUpDeps): BringUp {
  const waits = new Map<string, { left: AbortController; end: Promise<void> }>();

  async function wait({ ref, computerName }: Instance, signal: AbortSignal): Promise<void> {
    try {
      const onBoot = (why: string) => report(`${computerName} was cold: ${why}`);
      await guests.awaitUp(ref, { deadlineMs: DEADLINE_MS, signal, onBoot });
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      report(message.includes(computerName) ? message : `${computerName} did not come up: ${message}`);
    }
  }

  return {
    start(instance) {
      const { id } = instance.ref;
      const left = new AbortController();
      const end = wait(instance, AbortSignal.any([stopping, left.signal])).finally(() => waits.delete(id));
      waits.set(id, { left, end });
    },
    leave: (id) => waits.get(id)?.left.abort(),
    async ended() {
      await Promise.all([...waits.values()].map(({ end }) => end));
    },
  };
}
