// boot/load/sources/logs/text-boot.ts: what does the text log of one boot contain, and how do its wall-clock stamps relate to the uptime?
import { type Anchor, type Evidence, evidence } from '../../../model/evidence.ts';
import type { ManagerTimes, Note } from '../../../model/record.ts';
import { BootLog } from './boot-log.ts';
import { bannerDate } from './log-year.ts';
import { uptimeOf } from './split-boots.ts';
import type { TextLine } from './text-line.ts';

/** The stamp of a line is the time of receipt. PID 1 and the kernel log at once; the receiver may be busy. */
const USUAL_LAG_US = 1e6;
/** Lines written before the receiver ran all have the time at which it started. */
const MAX_LAG_US = 10e6;
/** The logger starts up to this long after the kernel; it then receives all earlier lines of the kernel at once. */
const BURST_LAG_US = 60e6;
/** A banner whose date differs by more from its stamp is on another clock: an unknown zone, or the clock was set. */
const ANOTHER_CLOCK_US = 120e6;
/** Later lines of the kernel say little about the boot: the clocks drift apart. */
const EARLY_US = 600e6;

const SET_BACK_US = 60e6;

export class TextBoot {
  readonly clock: TextLine['clock'];
  readonly #log: BootLog;
  /** In a wall-clock log: the lines that also have an uptime. */
  readonly #uptimes = new BootLog({ clock: 'monotonic', holds: 'kernel-log' });
  readonly #bootId: string | undefined;
  readonly #banners: Anchor[] = [];
  #kernel: (Anchor & { firstUs: number }) | undefined;
  /** No line can be from before the kernel start. */
  #notAfterUs = Number.POSITIVE_INFINITY;
  #lastUs = Number.NEGATIVE_INFINITY;
  #isSetBack = false;
  #finishResolutionUs = 1e6;
  #hasUptimes = false;
  #pid1ResolutionUs = 0;

  constructor(clock: TextLine['clock'], bootId: string | undefined) {
    this.clock = clock;
    this.#bootId = bootId;
    this.#log = new BootLog({ clock, holds: 'journal' });
  }

  add(line: TextLine): void {
    if (line.host !== undefined) this.#log.addHostFacts({ hostname: line.host });
    const wasFinished = this.#log.startupFinishedUs !== undefined;
    this.#log.addLine(line);
    if (!wasFinished) this.#finishResolutionUs = line.resolutionUs;
    if (line.identifier === 'systemd') this.#pid1ResolutionUs = Math.max(this.#pid1ResolutionUs, line.resolutionUs);
    if (this.clock === 'wall') this.#addUptime(line);
  }

  evidence(input: string): Evidence {
    const facts = this.#log.facts();
    const common = {
      kind: 'journal-text' as const,
      input,
      clock: this.clock,
      ...(this.#bootId !== undefined && { bootId: this.#bootId }),
      ...facts,
      ...(facts.units && this.#pid1ResolutionUs >= 1e6 && { unitNotes: [WHOLE_SECONDS] }),
    };
    if (this.clock === 'monotonic') return evidence(common);
    const { anchors, areUptimesOwn } = this.#anchors(facts.manager);
    if (!this.#hasUptimes || !areUptimesOwn) return evidence({ ...common, anchors });
    const exact = this.#uptimes.facts();
    const monotonic = {
      spans: exact.spans.filter(({ source }) => source === 'kernel'),
      milestones: exact.milestones.filter(({ name }) => name !== 'userspace' || !facts.manager),
    };
    const isExact = new Set(monotonic.milestones.map(({ name }) => name));
    return evidence({
      ...common,
      anchors,
      milestones: facts.milestones.filter(({ name }) => !isExact.has(name)),
      monotonic,
    });
  }

  #addUptime(line: TextLine): void {
    const { atUs, resolutionUs, kernelUs, identifier, message } = line;
    // Only until the clock is set back.
    this.#isSetBack ||= atUs < this.#lastUs - SET_BACK_US;
    this.#lastUs = atUs;
    if (!this.#isSetBack) this.#notAfterUs = Math.min(this.#notAfterUs, atUs + resolutionUs);
    if (kernelUs !== undefined) {
      this.#hasUptimes = true;
      this.#uptimes.addLine({ ...line, atUs: kernelUs });
      this.#addKernelStamp(kernelUs, atUs, resolutionUs);
    }
    if (identifier !== 'cloud-init') return;
    const monotonicUs = uptimeOf(message);
    if (monotonicUs === undefined) return;
    this.#hasUptimes = true;
    this.#uptimes.addLine({ ...line, atUs: monotonicUs });
    const dateUs = bannerDate(message);
    const isSameClock = dateUs !== undefined && Math.abs(dateUs - atUs) < ANOTHER_CLOCK_US;
    // cloud-init reads both clocks at once, and prints the date in whole seconds.
    this.#banners.push(
      isSameClock
        ? { monotonicUs, wallUs: dateUs, errorUs: 1e6 }
        : { monotonicUs, wallUs: atUs - MAX_LAG_US, errorUs: MAX_LAG_US + resolutionUs },
    );
  }

  /** The line that was received fastest is the best one. */
  #addKernelStamp(monotonicUs: number, atUs: number, resolutionUs: number): void {
    const firstUs = this.#kernel?.firstUs ?? atUs;
    if (monotonicUs > EARLY_US) return;
    const lagUs = atUs - firstUs >= 1e6 ? USUAL_LAG_US : BURST_LAG_US;
    const wallUs = atUs - lagUs;
    const best = this.#kernel;
    const isBetter = !best || highOf({ monotonicUs, wallUs, errorUs: lagUs + resolutionUs }) < highOf(best);
    this.#kernel = isBetter ? { monotonicUs, wallUs, errorUs: lagUs + resolutionUs, firstUs } : best;
  }

  #anchors(manager: ManagerTimes | undefined): { anchors: Anchor[]; areUptimesOwn: boolean } {
    const finishedUs = this.#log.startupFinishedUs;
    // PID 1 prints this when start-up finishes, with the durations, so it relates both clocks.
    const finish: Anchor | undefined =
      manager && finishedUs !== undefined && manager.finishUs > 0
        ? {
            monotonicUs: manager.finishUs,
            wallUs: finishedUs - USUAL_LAG_US,
            errorUs: USUAL_LAG_US + this.#finishResolutionUs,
          }
        : undefined;
    // In a container without its own /proc/uptime, cloud-init prints the uptime of the host.
    const hasOther = this.#kernel !== undefined || finish !== undefined;
    const areUptimesOwn = !hasOther || this.#banners.every((banner) => lowOf(banner) > this.#notAfterUs - EARLY_US);
    const exact = areUptimesOwn ? this.#banners : [];
    const sure = [...(this.#kernel ? [withoutFirst(this.#kernel)] : []), ...exact];
    // The receipt of PID 1's line may be late; the others are better, unless the clock was set in between.
    const needsFinish =
      finish &&
      (sure.every((one) => one.errorUs > finish.errorUs) || sure.every((one) => apartUs(one, finish) > MAX_LAG_US));
    const anchors = needsFinish ? [...sure, finish] : sure;
    return { anchors: this.#notBeforeKernelStart(anchors), areUptimesOwn };
  }

  /** The stamp of a line limits how late the kernel started. */
  #notBeforeKernelStart(anchors: readonly Anchor[]): Anchor[] {
    const lastUs = this.#notAfterUs;
    const capped = anchors.map((anchor) =>
      lowOf(anchor) <= lastUs && highOf(anchor) > lastUs ? { ...anchor, errorUs: lastUs - lowOf(anchor) } : anchor,
    );
    const earliest = capped.toSorted((a, b) => a.monotonicUs - b.monotonicUs)[0];
    if (!earliest || lowOf(earliest) <= lastUs) return capped;
    // The clock was set forward after the first lines: they have their own range.
    return [{ monotonicUs: 0, wallUs: lastUs - MAX_LAG_US, errorUs: MAX_LAG_US }, ...capped];
  }
}

const WHOLE_SECONDS: Note = {
  level: 'warning',
  text: 'the stamps in this text are in whole seconds: start and duration of each unit are exact to 1 s (0 = less than 1 s)',
};

const lowOf = ({ monotonicUs, wallUs }: Anchor): number => wallUs - monotonicUs;
const highOf = (anchor: Anchor): number => lowOf(anchor) + anchor.errorUs;

/** 0 if the two can be on one clock. */
function apartUs(a: Anchor, b: Anchor): number {
  return Math.max(0, lowOf(a) - highOf(b), lowOf(b) - highOf(a));
}

function withoutFirst({ monotonicUs, wallUs, errorUs }: Anchor): Anchor {
  return { monotonicUs, wallUs, errorUs };
}
