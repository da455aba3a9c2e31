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

interface Status {
  text: string;
  isFailed: boolean;
  /** The stamps of the lines before and after it. */
  fromUs: number;
  toUs?: number;
}

export class ConsoleBoot {
  readonly #log = new BootLog({ clock: 'monotonic', holds: 'kernel-log' });
  readonly #banners: Banner[] = [];
  readonly #statuses: Status[] = [];
  readonly #jobs = new Map<string, number>();
  #lastUs = 0;
  /** Statuses before this index have a later stamp. */
  #placed = 0;

  add(line: ConsoleLine): void {
    switch (line.kind) {
      case 'stamped':
        this.#log.addLine(line);
        this.#see(line.atUs);
        return;
      case 'banner':
        this.#banners.push(line.banner);
        this.#see(line.banner.upUs);
        return;
      case 'status':
        this.#statuses.push({ text: line.text, isFailed: line.isFailed, fromUs: this.#lastUs });
        return;
      case 'job':
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
    for (; this.#placed < this.#statuses.length; this.#placed++) this.#statuses[this.#placed]!.toUs = this.#lastUs;
  }

  #milestones(): Milestone[] {
    return MARKS.flatMap(({ name, source, pattern }) => {
      const status = this.#statuses.find(({ text, isFailed }) => !isFailed && pattern.test(text));
      if (status?.toUs === undefined) return [];
      const halfUs = (status.toUs - status.fromUs) / 2;
      return [
        {
          name,
          source,
          atUs: Math.round(status.fromUs + halfUs),
          errorUs: Math.round(Math.max(halfUs, ORDER_ERROR_US)),
          detail: 'between the lines around it on the console',
        },
      ];
    });
  }

  #notes(input: string): Note[] {
    const notes: Note[] = [];
    const warn = (text: string) => notes.push({ level: 'warning', text: `${input}: ${text}` });
    const failed = [...new Set(this.#statuses.filter(({ isFailed }) => isFailed).map(({ text }) => text))];
    if (failed.length > 0) warn(`systemd reports failures: ${listed(failed)}`);
    const jobs = [...this.#jobs].map(([name, tookUs]) => `${name} at least ${formatSpan(tookUs)}`);
    if (jobs.length > 0) warn(`systemd waited for start jobs: ${listed(jobs)}`);
    const untimed = this.#statuses.length;
    if (untimed > 0)
      warn(
        `the ${untimed} status line${untimed === 1 ? '' : 's'} of systemd have no time: when these units started is unknown`,
      );
    return notes;
  }
}

function listed(all: readonly string[]): string {
  const more = all.length > MOST_NAMED ? `; and ${all.length - MOST_NAMED} more` : '';
  return `${all.slice(0, MOST_NAMED).join('; ')}${more}`;
}

/** systemd before 249 prints only descriptions. */
const MARKS: readonly { name: Milestone['name']; source: Milestone['source']; pattern: RegExp }[] = [
  {
    name: 'network-online',
    source: 'systemd',
    pattern: /^Reached target (?:network-online\.target|Network is Online)\b/,
  },
  { name: 'kubelet-started', source: 'systemd', pattern: /^Started (?:kubelet\.service|kubelet\b|Kubernetes Kubelet)/ },
];
