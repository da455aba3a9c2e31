// boot/load/sources/logs/boot-log.ts: collects the facts in one boot's log, independent of the log format. Takes lines or parsed
// events in any order, keeps the few that matter, and returns the facts at the end.

import type { Evidence } from '../../../model/evidence.ts';
import type { HostFacts, ManagerTimes, Milestone, Note, Span } from '../../../model/record.ts';
import { kubeletFacts, parseKubeletLine, type TimedKubeletEvent } from '../kubernetes/kubelet-lines.ts';
import { guestAgentFacts, parseGuestAgentLine, type TimedGuestAgentEvent } from '../platform/guest-agent-lines.ts';
import { ignitionFacts, parseIgnitionLine, type TimedIgnitionEvent } from '../platform/ignition-lines.ts';
import { nodeadmFacts, parseNodeadmLine, type TimedNodeadmEvent } from '../platform/nodeadm-lines.ts';
import { parsePid1Line } from '../systemd/pid1-lines.ts';
import { managerTimes, parseStartupFinished } from '../systemd/startup-finished.ts';
import { type UnitEvent, unitsOf } from '../systemd/unit-events.ts';
import { Initcalls } from './initcalls.ts';
import { UserspaceStart } from './userspace-start.ts';

export interface LogLine {
  atUs: number;
  /** The program: `kernel`, `systemd`, `kubelet`, `python3` … */
  identifier: string;
  pid?: string | undefined;
  message: string;
}

export type LogFacts = Pick<Evidence, 'units' | 'spans' | 'milestones' | 'notes' | 'manager' | 'host'>;

const MILESTONE_ERROR_US = 10_000; // cloud-init prints its uptime with two decimals
/** Lines of cloud-init were received up to 5.2 s late: it starts before the system's logger. */
const RECEIPT_ERROR_US = 6e6;

export class BootLog {
  readonly #clock: 'monotonic' | 'wall';
  readonly #holds: 'journal' | 'kernel-log';
  readonly #unitEvents: UnitEvent[] = [];
  readonly #kubelet: TimedKubeletEvent[] = [];
  readonly #guestAgent: TimedGuestAgentEvent[] = [];
  readonly #initcalls = new Initcalls();
  readonly #ignition: TimedIgnitionEvent[] = [];
  readonly #nodeadm: TimedNodeadmEvent[] = [];
  readonly #milestones: Milestone[] = [];
  readonly #notes: Note[] = [];
  readonly #host: HostFacts = {};
  #manager: ManagerTimes | undefined;
  #startupFinishedUs: number | undefined;
  #hasKernelStart = false;
  readonly #userspace: UserspaceStart;
  #namelessJobs = 0;

  constructor(log: { clock: 'monotonic' | 'wall'; holds: 'journal' | 'kernel-log' }) {
    this.#clock = log.clock;
    this.#holds = log.holds;
    this.#userspace = new UserspaceStart(log.clock);
  }

  addLine({ atUs, identifier, pid, message }: LogLine): void {
    if (identifier === 'kernel') this.#addKernelLine(atUs, message);
    else if (identifier === 'systemd' && (pid === undefined || pid === '1')) this.#addPid1Line(atUs, message);
    else if (identifier === 'nodeadm') this.#addNodeadmLine(atUs, message, pid);
    else if (identifier === 'cloud-init' && message.startsWith('{"level":'))
      this.#addNodeadmLine(atUs, message, pid); // user data runs it on hybrid nodes
    else if (identifier === 'cloud-init') this.#addCloudInitLine(atUs, message);
    else if (identifier === 'ignition') this.#addIgnitionLine(atUs, message, pid);
    else if (identifier === 'kubelet') {
      const event = parseKubeletLine(message);
      if (event) this.#kubelet.push({ ...event, atUs });
    } else if (AGENTS.test(identifier)) {
      const event = parseGuestAgentLine(message);
      if (event) this.#guestAgent.push({ ...event, atUs });
    }
  }

  #addNodeadmLine(atUs: number, message: string, pid: string | undefined): void {
    const event = parseNodeadmLine(message);
    if (event) this.#nodeadm.push({ ...event, atUs, ...(pid !== undefined && { pid }) });
  }

  #addIgnitionLine(atUs: number, message: string, pid: string | undefined): void {
    const event = parseIgnitionLine(message);
    if (event) this.#ignition.push({ ...event, atUs, ...(pid !== undefined && { pid }) });
  }

  addUnitEvent(event: UnitEvent): void {
    this.#unitEvents.push(event);
  }

  addStartupFinished(manager: ManagerTimes, atUs: number): void {
    this.#manager ??= manager;
    this.#startupFinishedUs ??= atUs;
  }

  addHostFacts(facts: HostFacts): void {
    Object.assign(this.#host, facts);
  }

  note(level: Note['level'], text: string): void {
    this.#notes.push({ level, text });
  }

  get startupFinishedUs(): number | undefined {
    return this.#startupFinishedUs;
  }

  facts(): LogFacts {
    const isMonotonic = this.#clock === 'monotonic';
    const manager = this.#manager ?? (isMonotonic ? this.#unfinished() : undefined);
    // For a wall-clock log, the start of userspace on the log's clock is unknown.
    const { units, deviceWaits, failedJobs, leftOut } = unitsOf(this.#unitEvents, {
      userspaceUs: isMonotonic ? (manager?.userspaceUs ?? 0) : 0,
      finishUs: this.#startupFinishedUs ?? 0,
    });
    const kubelet = kubeletFacts(this.#kubelet);
    const agent = guestAgentFacts(this.#guestAgent);
    const ignition = ignitionFacts(this.#ignition);
    const nodeadm = nodeadmFacts(this.#nodeadm);
    const notes = [...this.#notes, ...ignition.notes, ...nodeadm.notes, ...kubelet.notes, ...agent.notes];
    if (!this.#manager && manager) notes.push({ level: 'warning', text: UNFINISHED });
    if (leftOut > 0) {
      notes.push({
        level: 'info',
        text: `omitted ${leftOut} units that first started more than an hour after the boot had finished`,
      });
    }
    if (this.#namelessJobs > 0 && units.length === 0) {
      notes.push({
        level: 'info',
        text: 'PID 1 does not print unit names in this text (systemd before 249): unit times are unknown',
      });
    }
    return {
      ...(units.length > 0 && { units }),
      ...(manager && { manager }),
      host: { ...(isOfContainer(this.#manager) && A_CONTAINER), ...kubelet.host, ...this.#host },
      spans: [
        ...this.#kernelSpans(),
        ...ignition.spans,
        ...deviceWaits,
        ...failedJobs,
        ...agent.spans,
        ...nodeadm.spans,
        ...kubelet.spans,
      ],
      milestones: [
        ...this.#kernelMilestones(manager),
        ...firstOfEach(this.#milestones),
        ...[...agent.milestones, ...kubelet.milestones].map((milestone) => this.#asExactAsItsStamp(milestone)),
      ],
      notes,
    };
  }

  /** Lines without a stamp of their program have the logger's, which is cut to a second. */
  #asExactAsItsStamp(milestone: Milestone): Milestone {
    const isCut = this.#clock === 'wall' && milestone.atUs % 1e6 === 0;
    return isCut ? { ...milestone, errorUs: Math.max(1e6, milestone.errorUs ?? 0) } : milestone;
  }

  #addKernelLine(atUs: number, message: string): void {
    if (this.#initcalls.add(atUs, message)) return;
    const version = /^Linux version (\S+)/.exec(message)?.[1];
    if (version !== undefined) {
      this.#host.kernel = version;
      this.#hasKernelStart = true;
    }
    this.#userspace.addKernelLine(atUs, message);
    if (message.startsWith('systemd[1]: ')) this.#addPid1Line(atUs, message.slice('systemd[1]: '.length));
  }

  /** In a container the sentence has no kernel phase, and the log uses the host's monotonic clock: count back from the line. */
  #onThisClock(manager: ManagerTimes, atUs: number): ManagerTimes {
    if (this.#clock === 'wall' || manager.userspaceUs > 0 || atUs <= manager.finishUs) return manager;
    return { ...manager, userspaceUs: atUs - manager.finishUs, finishUs: atUs };
  }

  #addPid1Line(atUs: number, message: string): void {
    this.#userspace.addPid1Line(atUs, message);
    const version = /^systemd (\d[\w.~+-]*)(?: \([^)]{1,80}\))? running in system mode/.exec(message)?.[1];
    if (version !== undefined) {
      this.#host.systemdVersion = version;
      return;
    }
    const detected = /^Detected (virtualization|architecture) ([\w-]+)\.?$/.exec(message);
    if (detected) {
      this.#host[detected[1] as 'virtualization' | 'architecture'] = detected[2]!;
      return;
    }
    if (message.startsWith('Startup finished in')) {
      const manager = parseStartupFinished(message);
      if (manager) this.addStartupFinished(this.#onThisClock(manager, atUs), atUs);
      return;
    }
    const job = parsePid1Line(message);
    if (job === 'nameless') this.#namelessJobs++;
    else if (job) this.#unitEvents.push({ ...job, atUs });
  }

  /** Only milestones: cloud-init's own log has the stages and modules. */
  #addCloudInitLine(atUs: number, message: string): void {
    const m = /^Cloud-init v\. (\S+) (running '([\w:-]+)'|finished) at .*Up ([\d.]+) seconds/.exec(message);
    if (!m) return;
    this.#host.cloudInitVersion = m[1]!;
    const name = m[2] === 'finished' ? 'cloud-init-finished' : m[3] === 'init-local' ? 'cloud-init-started' : undefined;
    if (!name) return;
    // The uptime in the line is more exact than the time of receipt. After a suspend it includes the sleep: then do not use it.
    const upUs = Math.round(Number(m[4]) * 1e6);
    const isUsable = this.#clock === 'monotonic' && upUs <= atUs && atUs - upUs < 10e6;
    const errorUs = this.#clock === 'wall' ? RECEIPT_ERROR_US : MILESTONE_ERROR_US;
    this.#milestones.push({ name, source: 'cloud-init', atUs: isUsable ? upUs : atUs, errorUs });
  }

  #kernelSpans(): Span[] {
    const whole = this.#wholeKernel();
    return [...(whole ? [whole] : []), ...this.#initcalls.spans(whole)];
  }

  #wholeKernel(): Span | undefined {
    const { ranInit } = this.#userspace;
    if (!ranInit || this.#clock !== 'monotonic' || ranInit.atUs <= 0) return undefined;
    const { path, atUs } = ranInit;
    return { id: 'kernel:until-init', name: `kernel, until it ran ${path}`, source: 'kernel', startUs: 0, endUs: atUs };
  }

  #kernelMilestones(manager: ManagerTimes | undefined): Milestone[] {
    const found: Milestone[] = [];
    if (this.#clock === 'monotonic' && this.#hasKernelStart)
      found.push({ name: 'kernel-start', atUs: 0, source: 'kernel' });
    const userspace = manager ? undefined : this.#userspace.milestone();
    if (userspace) found.push({ name: 'userspace', ...userspace });
    return found;
  }

  /** The known phases of a boot without "Startup finished". */
  #unfinished(): ManagerTimes | undefined {
    const { initrd, realRoot } = this.#userspace.systemdUs;
    const firstUs = initrd ?? realRoot;
    // PID 1 logs to the journal once that runs, so a kernel log never shows the end of a boot.
    if (firstUs === undefined || this.#holds === 'kernel-log') return undefined;
    return managerTimes({
      kernelTookUs: firstUs,
      initrdTookUs: initrd === undefined || realRoot === undefined ? 0 : realRoot - initrd,
      userspaceTookUs: 0,
    });
  }
}

const UNFINISHED =
  'the log has no "Startup finished": the boot had not finished, or lines are missing; the start of userspace is taken from systemd\'s banner';
/** If no line says which kind it is. */
const A_CONTAINER: HostFacts = { virtualization: 'container-other' };

function isOfContainer(manager: ManagerTimes | undefined): boolean {
  return manager !== undefined && manager.userspaceUs > 0 && manager.securityStartUs === 0;
}

const AGENTS = /^(?:python[\d.]*|waagent|walinuxagent)$/i;

function firstOfEach(milestones: readonly Milestone[]): Milestone[] {
  const first = new Map<string, Milestone>();
  for (const milestone of milestones.toSorted((a, b) => a.atUs - b.atUs)) {
    // cloud-init prints "finished" at every run; the first one belongs to the boot.
    if (!first.has(milestone.name)) first.set(milestone.name, milestone);
  }
  return [...first.values()];
}
