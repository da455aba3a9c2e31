// boot/load/sources/logs/initcalls.ts: which initcalls and driver probes of the kernel took long? The kernel logs them with
// `initcall_debug` on its command line.
import type { Span } from '../../../model/record.ts';

/** Shorter ones are thousands, and do not explain a boot. */
const SHORTEST_US = 1_000;
const MOST_KEPT = 50;

const INITCALL =
  /^initcall (\S{1,200}?)(?:\+0x[0-9a-f]+\/0x[0-9a-f]+)?(?: \[([\w-]{1,100})\])? returned (-?\d{1,10})\b.* after (\d{1,12}) usecs/;
const PROBE = /^probe of (\S{1,200}) returned (-?\d{1,10}) after (\d{1,12}) usecs/;

export class Initcalls {
  #spans: Span[] = [];

  /** The line is logged when the call returns. Returns whether it is about a call. */
  add(atUs: number, message: string): boolean {
    const call = parseCall(message);
    if (!call) return false;
    const { id, name, tookUs } = call;
    if (tookUs < SHORTEST_US) return true;
    this.#spans.push({ id, name, source: 'kernel', startUs: atUs - tookUs, endUs: atUs });
    if (this.#spans.length > 4 * MOST_KEPT) this.#spans = longest(this.#spans);
    return true;
  }

  /**
   * The longest ones, in the order of their start. Calls of other threads run at the same time (async probes, and probes inside an
   * initcall), so their times do not add up. `kernel`: the span of the kernel until it ran init.
   */
  spans(kernel: Span | undefined): Span[] {
    return longest(this.#spans)
      .sort((a, b) => a.startUs - b.startUs || b.endUs - a.endUs)
      .map((span) => (kernel && span.endUs <= kernel.endUs ? { ...span, parent: kernel.id } : span));
  }
}

function longest(spans: readonly Span[]): Span[] {
  return [...spans].sort((a, b) => b.endUs - b.startUs - (a.endUs - a.startUs)).slice(0, MOST_KEPT);
}

/** The init function of a module has the same name in all of them, so the module is named instead. */
function parseCall(message: string): { id: string; name: string; tookUs: number } | undefined {
  const initcall = INITCALL.exec(message);
  if (initcall) {
    const name = initcall[2] ?? initcall[1]!;
    return { id: `kernel:initcall/${name}`, name: `initcall ${name}`, tookUs: Number(initcall[4]) };
  }
  const probe = PROBE.exec(message);
  if (!probe) return undefined;
  return { id: `kernel:probe/${probe[1]}`, name: `probe of ${probe[1]}`, tookUs: Number(probe[3]) };
}
