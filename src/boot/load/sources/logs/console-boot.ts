// boot/load/sources/logs/console-boot.ts: what does the console show of one boot? Lines without a time are placed between the stamped
// lines around them, with that error.
import { formatSpan } from '../../../../base/duration.ts';
import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note } from '../../../model/record.ts';
import { type Banner, bannerFacts } from '../cloud-init-banners.ts';
import { BootLog } from './boot-log.ts';
import type { ConsoleLine } from './console-line.ts';

/** The kernel writes at once; what programs write may wait in the buffer of a slow serial line. */
const ORDER_ERROR_US = 500_000;
const MOST_NAMED = 5;
/** A console of gigabytes must not be kept in memory. */
const MOST_KEPT = 1000;

interface Mark {
  /** The stamps of the lines before and after it. */
  fromUs: number;
  toUs?: number;
}

export class ConsoleBoot {
  readonly #log = new BootLog({ clock: 'monotonic', holds: 'kernel-log' });
  readonly #banners: Banner[] = [];
  readonly #marks = new Map<Milestone['name'], Mark>();
  readonly #failed = new Set<string>();
  readonly #jobs = new Map<string, number>();
  #untimed = 0;
  #lastUs = 0;

  add(line: ConsoleLine): void {
    switch (line.kind) {
      case 'stamped':
        this.#log.addLine(line);
        this.#see(line.atUs);
        return;
      case 'banner':
        if (this.#banners.length < MOST_KEPT) this.#banners.push(line.banner);
        this.#see(line.banner.upUs);
        return;
      case 'status':
        this.#addStatus(line.text, line.isFailed);
        return;
      case 'job':
        if (this.#jobs.size >= MOST_KEPT && !this.#jobs.has(line.name)) return;
        this.#jobs.set(line.name, Math.max(line.tookUs, this.#jobs.get(line.name) ?? 0));
        return;
      case 'login':
        this.#log.addHostFacts({ hostname: line.hostname });
    }
  }

  /** The uptime of the last line with a time. */
  get lastUs(): number {
    return this.#lastUs;
  }

  /** Cloud-init's banners are evidence of another kind: its own log knows more. */
  evidence(from: { input: string; name?: string }): Evidence[] {
    const facts = this.#log.facts();
    const banners = bannerFacts(this.#banners, from.input);
    const console = evidence({
      kind: 'console-log',
      clock: 'monotonic',
      ...from,
      ...facts,
      // The same in both, so that they are known to be of one boot.
      anchors: banners.anchors,
      milestones: [...facts.milestones, ...this.#milestones()],
      notes: [...facts.notes, ...this.#notes(from.input)],
    });
    if (this.#banners.length === 0) return [console];
    return [console, evidence({ kind: 'cloud-init-output', clock: 'monotonic', ...from, ...banners })];
  }

  #see(atUs: number): void {
    this.#lastUs = Math.max(this.#lastUs, atUs);
    for (const mark of this.#marks.values()) mark.toUs ??= this.#lastUs;
  }

  #addStatus(text: string, isFailed: boolean): void {
    this.#untimed++;
    if (isFailed && this.#failed.size < MOST_KEPT) this.#failed.add(text);
    const found = isFailed ? undefined : MARKS.find(({ pattern }) => pattern.test(text));
    if (found && !this.#marks.has(found.name)) this.#marks.set(found.name, { fromUs: this.#lastUs });
  }

  #milestones(): Milestone[] {
    return [...this.#marks].flatMap(([name, { fromUs, toUs }]) => {
      if (toUs === undefined) return [];
      const halfUs = (toUs - fromUs) / 2;
      return [
        {
          name,
          source: 'systemd' as const,
          atUs: Math.round(fromUs + halfUs),
          errorUs: Math.round(Math.max(halfUs, ORDER_ERROR_US)),
          detail: 'between the lines around it on the console',
        },
      ];
    });
  }

  #notes(input: string): Note[] {
    const notes: Note[] = [];
    const warn = (text: string) => notes.push({ level: 'warning', text: `${input}: ${text}` });
    if (this.#failed.size > 0) warn(`systemd reports failures: ${listed([...this.#failed])}`);
    const jobs = [...this.#jobs].map(([name, tookUs]) => `${name} at least ${formatSpan(tookUs)}`);
    if (jobs.length > 0) warn(`systemd waited for start jobs: ${listed(jobs)}`);
    const untimed = this.#untimed;
    if (untimed > 0)
      warn(
        `${untimed} status line${untimed === 1 ? '' : 's'} of systemd without a time: when these units started is unknown`,
      );
    return notes;
  }
}

function listed(all: readonly string[]): string {
  const more = all.length > MOST_NAMED ? `; and ${all.length - MOST_NAMED} more` : '';
  return `${all.slice(0, MOST_NAMED).join('; ')}${more}`;
}

/** systemd before 249 prints only descriptions. */
const MARKS: readonly { name: Milestone['name']; pattern: RegExp }[] = [
  { name: 'network-online', pattern: /^Reached target (?:network-online\.target|Network is Online)\b/ },
  { name: 'kubelet-started', pattern: /^Started (?:kubelet\.service|kubelet\b|Kubernetes Kubelet)/ },
];
