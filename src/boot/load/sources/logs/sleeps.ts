// boot/load/sources/logs/sleeps.ts: when was the machine suspended or hibernated, and for how long, according to its journal? The monotonic
// clock stands still meanwhile, so such a span has no length on it; what its wait says is in no total.
import { formatSpan } from '../../../../base/duration.ts';
import type { Span } from '../../../model/record.ts';

/** The kernel, systemd-sleep and ACPI say so before and after it. */
const SAYS_SLEEP =
  /^(?:PM: suspend (?:entry|exit)|PM: hibernation: hibernation (?:entry|exit)|ACPI: PM: Waking up from system sleep state|Performing sleep operation|System returned from sleep)/;
const SAYS_HIBERNATION = /hibernat|sleep state S4/i;
/** After it, the kernel sets the wall clock from a clock with whole seconds. */
const ERROR_US = 1e6;
/** Messages of before may be written after it. */
const NEAR_US = 30e6;

export class Sleeps {
  readonly #said: { atUs: number; isHibernation: boolean }[] = [];
  readonly #jumps: { fromUs: number; toUs: number; byUs: number }[] = [];

  addLine(atUs: number, message: string): void {
    if (SAYS_SLEEP.test(message)) this.say(atUs, SAYS_HIBERNATION.test(message));
  }

  say(atUs: number, isHibernation: boolean): void {
    if (this.#said.length < MOST) this.#said.push({ atUs, isHibernation });
  }

  /** The wall clock went forward by `byUs` more than the monotonic clock, between two instants of that. */
  addJump(fromUs: number, toUs: number, byUs: number): void {
    if (byUs > ERROR_US && this.#jumps.length < MOST) this.#jumps.push({ fromUs, toUs, byUs });
  }

  /** A jump that no message explains is a time service's, or of a VM whose host paused it: not told here. */
  spans(): Span[] {
    return this.#jumps.flatMap(({ fromUs, toUs, byUs }) => {
      const said = this.#said.filter(({ atUs }) => atUs >= fromUs - NEAR_US && atUs <= toUs + NEAR_US);
      const [first] = said;
      if (!first) return [];
      const how = said.some(({ isHibernation }) => isHibernation) ? 'hibernated' : 'suspended';
      const atUs = Math.min(Math.max(first.atUs, fromUs), toUs);
      const wait = `${how} for ${formatSpan(byUs)} ± ${formatSpan(ERROR_US)}; not part of the total`;
      return [{ id: `platform:${how}`, name: how, source: 'platform' as const, startUs: atUs, endUs: atUs, wait }];
    });
  }
}

const MOST = 1000;
