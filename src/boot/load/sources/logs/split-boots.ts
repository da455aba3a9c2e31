// boot/load/sources/logs/split-boots.ts: at which line of a text log does another boot begin? The kernel's first line says so, or an uptime
// that is lower than the one before. Both may come after other lines of the new boot, so recent lines are kept back until it is clear.
import { parseStartupFinished } from '../systemd/startup-finished.ts';
import { bannerDate } from './log-year.ts';
import type { TextLine } from './text-line.ts';

/** Longer ago than any line of a boot that is received before the first line with an uptime. */
const KEPT_BACK_US = 15 * 60e6;
const KEPT_BACK_LINES = 20_000;
/** Stamps are in whole seconds. */
const RESOLUTION_US = 1e6;
/** Lines of the kernel, and the last line of PID 1, may be out of order by this much. */
const OUT_OF_ORDER_US = 5e6;
/** A clock that was set back while the machine was off. */
const SET_BACK_US = 60e6;

export type TakeLine = (line: TextLine, startsBoot: boolean) => void;

export class BootSplitter {
  readonly #take: TakeLine;
  #recent: TextLine[] = [];
  #from = 0;
  #startsBoot = true;
  /** The last uptime that this boot's lines name. */
  #upUs = 0;
  #kernelUs = 0;
  #finished: string | undefined;

  constructor(take: TakeLine) {
    this.#take = take;
  }

  add(line: TextLine): void {
    const notBeforeUs = this.#startOfAnother(line);
    if (notBeforeUs !== undefined) this.#splitBefore(line, notBeforeUs);
    this.#remember(line);
    this.#recent.push(line);
    this.#release(line.atUs - KEPT_BACK_US);
  }

  /** The next line is of another boot: the log says so itself. */
  separate(): void {
    this.finish();
    this.#begin();
  }

  finish(): void {
    while (this.#from < this.#recent.length) this.#takeFirst();
    this.#recent = [];
    this.#from = 0;
  }

  /** If this line is of another boot than the lines before: no line of it is from before this time. */
  #startOfAnother(line: TextLine): number | undefined {
    const { atUs, clock, identifier, message, pid, kernelUs } = line;
    if (isKernelStart(line)) return atUs;
    if (kernelUs !== undefined) return kernelUs < this.#kernelUs - OUT_OF_ORDER_US ? atUs : undefined;
    if (clock === 'monotonic') return undefined;
    const up = identifier === 'cloud-init' ? uptimeOf(message) : undefined;
    if (up !== undefined) {
      return up < this.#upUs ? atUs - lateBy(atUs, message) - up - RESOLUTION_US : undefined;
    }
    if (!isFinish(identifier, pid, message)) return undefined;
    const tookUs = parseStartupFinished(message)?.finishUs ?? 0;
    const isSecond = this.#finished !== undefined && this.#finished !== message;
    return isSecond || tookUs < this.#upUs - OUT_OF_ORDER_US ? atUs - tookUs - RESOLUTION_US : undefined;
  }

  #remember({ identifier, message, pid, kernelUs }: TextLine): void {
    if (kernelUs !== undefined) this.#kernelUs = kernelUs;
    const up = identifier === 'cloud-init' ? uptimeOf(message) : undefined;
    if (up !== undefined) this.#upUs = Math.max(this.#upUs, up);
    if (!isFinish(identifier, pid, message)) return;
    this.#finished = message;
    this.#upUs = Math.max(this.#upUs, parseStartupFinished(message)?.finishUs ?? 0);
  }

  #splitBefore(line: TextLine, notBeforeUs: number): void {
    let first = this.#recent.length;
    let next = line;
    while (first > this.#from && canPrecede(next, this.#recent[first - 1]!, notBeforeUs)) {
      first--;
      next = this.#recent[first]!;
    }
    // All of it is recent enough: the lines of one boot, out of order.
    if (first === this.#from && this.#startsBoot) return;
    while (this.#from < first) this.#takeFirst();
    this.#begin();
    for (let i = this.#from; i < this.#recent.length; i++) this.#remember(this.#recent[i]!);
  }

  #begin(): void {
    this.#startsBoot = true;
    this.#upUs = 0;
    this.#kernelUs = 0;
    this.#finished = undefined;
  }

  #release(beforeUs: number): void {
    while (
      this.#from < this.#recent.length &&
      (this.#recent[this.#from]!.atUs < beforeUs || this.#recent.length - this.#from > KEPT_BACK_LINES)
    ) {
      this.#takeFirst();
    }
    if (this.#from < KEPT_BACK_LINES) return;
    this.#recent = this.#recent.slice(this.#from);
    this.#from = 0;
  }

  #takeFirst(): void {
    this.#take(this.#recent[this.#from]!, this.#startsBoot);
    this.#startsBoot = false;
    this.#from++;
  }
}

/** Whether `line` can be of the same boot as `next`, the line after it, which is not the first one of its boot. */
function canPrecede(next: TextLine, line: TextLine, notBeforeUs: number): boolean {
  const isOrdered = line.atUs - next.atUs < (line.clock === 'wall' ? SET_BACK_US : OUT_OF_ORDER_US);
  return isOrdered && line.atUs >= notBeforeUs && !isKernelStart(line);
}

function isKernelStart({ identifier, message }: TextLine): boolean {
  return identifier === 'kernel' && message.startsWith('Linux version ');
}

const UP = /^Cloud-init v\. .*Up (\d{1,9}(?:\.\d{1,6})?) seconds/;

/** Of a banner of cloud-init. */
export function uptimeOf(message: string): number | undefined {
  if (!message.startsWith('Cloud-init v. ')) return undefined;
  const up = UP.exec(message)?.[1];
  return up === undefined ? undefined : Math.round(Number(up) * 1e6);
}

function isFinish(identifier: string, pid: string | undefined, message: string): boolean {
  return identifier === 'systemd' && (pid === undefined || pid === '1') && message.startsWith('Startup finished in ');
}

/** How long after the date in it a banner was received, in whatever zone the stamps are. */
function lateBy(atUs: number, message: string): number {
  const dateUs = bannerDate(message);
  if (dateUs === undefined) return 0;
  const lateUs = (atUs - dateUs) % QUARTER_US;
  return lateUs >= 0 && lateUs < MOST_LATE_US ? lateUs : 0;
}

const QUARTER_US = 15 * 60e6;
const MOST_LATE_US = 120e6;
