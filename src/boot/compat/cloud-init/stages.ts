// boot/compat/cloud-init/stages.ts: groups log events into boots, stages and steps.
import type { LogEvent } from './read/log-line.ts';
import { platformWait } from './waits.ts';

export interface CloudInitBoot {
  version?: string;
  /** `DataSourceAzure` … */
  datasource?: string;
  /** Stages, nested parents and modules in the order they started. A flat list, so deep nesting needs no recursion. */
  steps: CloudInitStep[];
  /** Lines with both the uptime and the clock. */
  ticks: UptimeTick[];
  /** Pauses before a stage, measured by cloud-init. */
  pauses: StagePause[];
  finishedUs?: number;
  /** The uptime in the banner at the end. */
  finishedUpUs?: number;
  firstUs: number;
  lastUs: number;
}

export interface CloudInitStep {
  name: string;
  description: string;
  parent?: CloudInitStep;
  /** The outermost parent. */
  stage?: CloudInitStep;
  depth: number;
  /** Absent if the start is in an older file. */
  startUs?: number;
  /** Absent if the log or the stage ended before. */
  endUs?: number;
  /** From the monotonic clock if the log has it; else from the stamps, then negative if the clock was set back. */
  tookUs?: number;
  /** tookUs without the time of its children. */
  ownUs?: number;
  childrenUs: number;
  level?: string;
  /** SUCCESS, WARN, FAIL. */
  result?: string;
  wait?: string;
  /** Of a stage: its last event. */
  lastSeenUs?: number;
  /** How much the clock moved while it ran. */
  clockStepUs?: number;
  /** Its stamps have no fraction: start, end and length are exact to a second. */
  isWholeSecond?: true;
  /** Of a stage: the uptime at its start, and how long its process took. */
  upUs?: number;
  processTookUs?: number;
  /** `… took N seconds` lines inside it. */
  details?: { text: string; tookUs: number }[];
}

export interface UptimeTick {
  atUs: number;
  upUs: number;
  /** The clock in the banner, in whole seconds. */
  clockUs?: number;
}

export interface StagePause {
  stage: string;
  startUs: number;
  endUs: number;
}

/** A generator, so that a caller that only prints boots need not keep a thousand in memory. */
export function* bootsOf(events: Iterable<LogEvent>): Generator<CloudInitBoot> {
  let builder: Builder | undefined;
  for (const event of events) {
    if (!builder || startsNewBoot(event, builder)) {
      if (builder && !builder.isEmpty()) yield builder.finish();
      builder = new Builder(event.atUs);
    }
    builder.add(event);
  }
  if (builder && !builder.isEmpty()) yield builder.finish();
}

/**
 * A boot starts where the uptime decreases, or where init-local repeats and the kernel must have started after the last
 * event. `cloud-init clean` and a second run in one boot have the same kernel start.
 */
function startsNewBoot(event: LogEvent, builder: Builder): boolean {
  const { boot } = builder;
  if (event.kind === 'banner' && event.upUs !== undefined) {
    const last = boot.ticks.at(-1);
    if (last && event.upUs < last.upUs) return true;
    if (builder.isDoubleStart(event)) return false;
    if (event.name !== 'init-local' || !builder.hasSeen('init-local')) return false;
    return !last || event.atUs - event.upUs >= boot.lastUs;
  }
  const isStart = event.kind === 'banner' || event.kind === 'start';
  return isStart && event.name === 'init-local' && builder.hasSeen('init-local') && !builder.isDoubleStart(event);
}

/** Builds one boot from its events. */
class Builder {
  readonly boot: CloudInitBoot;
  private readonly open: CloudInitStep[] = [];
  private readonly openByName = new Map<string, CloudInitStep[]>();
  private readonly seen = new Set<string>();
  private readonly processEnds = new Map<CloudInitStep, { endUs: number; tookUs: number }>();
  /** The running stage, and how it was announced so far. */
  private announced: { name: string; by: 'start' | 'banner' | 'both' } | undefined;

  constructor(firstUs: number) {
    this.boot = { steps: [], ticks: [], pauses: [], firstUs, lastUs: firstUs };
  }

  /** True if the boot has only timings, without steps or banners. */
  isEmpty(): boolean {
    return this.boot.steps.length === 0 && this.boot.ticks.length === 0;
  }

  hasSeen(stage: string): boolean {
    return this.seen.has(stage);
  }

  /**
   * If all stages run in one process, a stage is announced twice, by its event and by its banner, and its first step may
   * come between the two.
   */
  isDoubleStart(event: LogEvent): boolean {
    if (event.kind !== 'start' && event.kind !== 'banner') return false;
    const { announced } = this;
    return announced?.name === event.name && announced.by !== 'both' && announced.by !== event.kind;
  }

  add(event: LogEvent): void {
    const { boot } = this;
    if (event.kind === 'took') {
      this.addTook(event.what, event.atUs, event.tookUs);
    } else if (event.kind === 'finish') {
      this.close(event);
    } else if (event.kind === 'finished') {
      boot.finishedUs = event.atUs;
      if (event.upUs !== undefined) boot.finishedUpUs = event.upUs;
      boot.version = event.version;
      if (event.datasource !== undefined) boot.datasource = event.datasource;
      this.addTick(event);
    } else {
      if (this.isDoubleStart(event)) this.announced = { name: event.name, by: 'both' };
      else this.begin(event);
      if (event.kind === 'banner') {
        boot.version ??= event.version;
        const stage = this.innermost();
        if (event.upUs !== undefined && stage) (stage.stage ?? stage).upUs ??= event.upUs;
        this.addTick(event);
      }
    }
    boot.lastUs = event.atUs;
    const inner = this.innermost();
    if (inner) (inner.stage ?? inner).lastSeenUs = event.atUs;
  }

  finish(): CloudInitBoot {
    const { boot } = this;
    for (const [stage, end] of this.processEnds) {
      stage.processTookUs = end.tookUs;
      if (stage.endUs === undefined) Object.assign(stage, end);
    }
    for (const step of boot.steps) {
      const parent = step.parent;
      if (parent && step.tookUs !== undefined) parent.childrenUs += Math.max(0, step.tookUs);
    }
    for (const step of boot.steps) {
      if (step.tookUs !== undefined)
        step.ownUs = step.tookUs < 0 ? step.tookUs : Math.max(0, step.tookUs - step.childrenUs);
    }
    return boot;
  }

  private begin(event: Extract<LogEvent, { kind: 'start' | 'banner' }>): void {
    if (!event.name.includes('/')) {
      this.abandonAll();
      this.announced = { name: event.name, by: event.kind };
    }
    const step = this.newStep(event.name, this.innermost());
    step.startUs = event.atUs;
    if (event.isWholeSecond) step.isWholeSecond = true;
    if (event.kind === 'start') {
      step.description = event.description;
      if (event.level !== undefined) step.level = event.level;
    }
    this.open.push(step);
    const namesakes = this.openByName.get(event.name);
    if (namesakes) namesakes.push(step);
    else this.openByName.set(event.name, [step]);
  }

  private newStep(name: string, parent: CloudInitStep | undefined): CloudInitStep {
    const step: CloudInitStep = { name, description: '', depth: parent ? parent.depth + 1 : 0, childrenUs: 0 };
    if (parent) {
      step.parent = parent;
      step.stage = parent.stage ?? parent;
    }
    const wait = platformWait(name);
    if (wait) step.wait = wait;
    this.boot.steps.push(step);
    this.seen.add(name);
    return step;
  }

  private close(event: Extract<LogEvent, { kind: 'finish' }>): void {
    const step = this.openByName.get(event.name)?.pop() ?? this.newStepWithoutStart(event);
    step.endUs = event.atUs;
    if (event.description !== '') step.description = event.description;
    if (event.result !== undefined) step.result = event.result;
    if (event.level !== undefined) step.level = event.level;
    if (event.durationUs !== undefined) step.startUs ??= event.atUs - event.durationUs;
    if (step.startUs !== undefined) {
      const byStampsUs = event.atUs - step.startUs;
      step.tookUs = event.durationUs ?? byStampsUs;
      const movedUs = byStampsUs - step.tookUs;
      if (byStampsUs < 0 || Math.abs(movedUs) > CLOCK_STEP_US) step.clockStepUs = movedUs === 0 ? byStampsUs : movedUs;
    }
    // The end of a stage ends all its steps. The end of a step ends no other step: another process may still run that one.
    if (!event.name.includes('/')) this.abandonAll();
    const found = /found \w+ data from (DataSource\w+)/.exec(event.description);
    if (found) this.boot.datasource ??= found[1]!;
  }

  private newStepWithoutStart(event: Extract<LogEvent, { kind: 'finish' }>): CloudInitStep {
    const isInside = event.name.includes('/');
    const step = this.newStep(event.name, isInside ? this.innermost() : undefined);
    if (isInside) step.depth = Math.max(1, step.depth); // its stage is in an older file
    return step;
  }

  private innermost(): CloudInitStep | undefined {
    while (this.open.at(-1)?.endUs !== undefined) this.open.pop();
    return this.open.at(-1);
  }

  private abandonAll(): void {
    this.announced = undefined;
    this.open.length = 0;
    this.openByName.clear();
  }

  private addTick(event: Extract<LogEvent, { kind: 'banner' | 'finished' }>): void {
    if (event.upUs === undefined) return;
    const clock = event.clockUs === undefined ? {} : { clockUs: event.clockUs };
    this.boot.ticks.push({ atUs: event.atUs, upUs: event.upUs, ...clock });
  }

  /** Versions before 0.7.7 report no end of a stage, only how long its process took. Later ones report both, the end last. */
  private endStage(mode: string, atUs: number, tookUs: number): void {
    const inner = this.innermost();
    const stage = inner?.stage ?? inner;
    if (stage?.name.startsWith(mode) && stage.startUs !== undefined)
      this.processEnds.set(stage, { endUs: atUs, tookUs });
  }

  private addTook(text: string, atUs: number, tookUs: number): void {
    const stage = /^Waiting to start stage '?([\w:-]+?)'?$/.exec(text)?.[1];
    const mode = /^cloud-init mode '(\w+)'$/.exec(text)?.[1];
    if (mode !== undefined) this.endStage(mode, atUs, tookUs);
    else if (stage !== undefined) this.boot.pauses.push({ stage, startUs: atUs - tookUs, endUs: atUs });
    else {
      const step = this.innermost();
      if (!step) return;
      step.details ??= [];
      step.details.push({ text, tookUs });
    }
  }
}

/** Stamps have milliseconds and are not taken at the same moment as the monotonic time; a clock step is larger than that. */
const CLOCK_STEP_US = 250_000;
