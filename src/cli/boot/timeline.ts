// cli/boot/timeline.ts: `headstart boot timeline`: shows every step from VM creation to Node Ready in one table.
import { formatSpan } from '../../base/duration.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import { chain } from '../../boot/questions/chain.ts';
import { plusMinus, type Timeline, type TimelineRow, timeline } from '../../boot/questions/timeline.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import type { Style } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { type Column, renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type BootOptions, readBoot, withBootOptions, withInputArguments } from './read-boot.ts';

export const verb: Verb = {
  examples: ['boot timeline', 'boot timeline boot.tar.gz', 'boot timeline boot.tar.gz node.yaml'],
  configure: (command) => withInputArguments(withBootOptions(command)),
  async run(_args, options: BootOptions, deps) {
    const record = await readBoot(options, deps);
    const answer = timeline(record);
    if (options.json) return printJson(deps, 'BootTimeline', { bootId: record.bootId, clock: record.clock, ...answer });
    const screen = screenOf(deps);
    const table = renderTable(
      columnsOf(record, screen),
      [...(answer.parked ? [answer.parked] : []), ...answer.rows],
      screen,
    );
    const after = summary(answer) + claimed(answer) + logPrecision(record);
    deps.stdout(`${table}\n${wrapLines(after, screen.columns)}`);
  },
};

function columnsOf(record: BootRecord, { hasColour }: Screen): Column<TimelineRow>[] {
  const onPath = new Set(hasColour ? chain(record).map((link) => link.name) : []);
  const styleOf = (row: TimelineRow): Style | undefined => {
    if (row.result === 'fail') return 'bad';
    return row.kind === 'wait' ? 'wait' : undefined;
  };
  return [
    {
      title: 'START',
      align: 'right',
      cell: (row) => (row.startUs === undefined ? 'unknown' : startText(row.startUs)),
    },
    {
      title: 'TOOK',
      align: 'right',
      cell: (row) => (row.tookUs === undefined ? '' : formatSpan(row.tookUs)),
      style: styleOf,
    },
    { title: 'KIND', cell: (row) => (row.kind === 'instant' ? '' : row.kind), style: styleOf },
    { title: 'SOURCE', cell: (row) => row.source, narrow: 'drop' },
    {
      title: 'WHAT',
      cell: (row) => `${row.kind === 'instant' ? '* ' : ''}${'  '.repeat(row.depth)}${row.name}`,
      style: (row) => (onPath.has(row.name) ? 'path' : undefined),
      narrow: 'wrap',
    },
    { title: '', cell: (row) => row.detail ?? '', style: styleOf, narrow: 'wrap' },
  ];
}

/** In a record, 0 means "never": what happens at the very start has 1 µs. */
function startText(us: number): string {
  return formatSpan(us === 1 ? 0 : us);
}

function summary({ rows, totalUs, waitUs = 0, ownUs = 0, errorUs = 0, endsAt, claim }: Timeline): string {
  if (totalUs === undefined) return `${nothingMeasured(rows)}\n`;
  const own =
    waitUs > 0
      ? `: ${formatSpan(ownUs)} of the node's own time and ${formatSpan(waitUs)} of waits on the critical path for something outside it`
      : '';
  const what = claim ? 'the node was Ready' : 'the boot finished';
  const unknownEnd = endsAt === 'last event' ? ` No input shows when ${what}.` : '';
  const from = claim ? 'from the claim ' : '';
  const error = errorUs > 0 ? ` ${plusMinus(errorUs)}` : '';
  return `${formatSpan(totalUs)}${error} ${from}until ${endsAt}${own}.${unknownEnd}\n`;
}

/** The two times that are not in the total. */
function claimed({ claim }: Timeline): string {
  if (!claim) return '';
  const { instance, tier, parkedUs, ranUs, errorUs } = claim;
  const ran = `${formatSpan(ranUs)} ${plusMinus(errorUs)}`;
  return `Before, ${instance} was parked (${tier}) for ${formatSpan(parkedUs)}, after it had run for ${ran}.\n`;
}

/** Rows have no error of their own. */
function logPrecision({ clock, spans }: BootRecord): string {
  if (clock.zero === 'first-event') return FROM_FIRST_EVENT;
  const hasLogs = clock.zero === 'kernel' && spans.some(({ source }) => LOGGED.has(source));
  const { errorUs = 0 } = clock;
  return hasLogs && errorUs >= 10_000
    ? `Steps of cloud-init, agents and kubelet come from logs with a wall clock: their START is exact to ${plusMinus(errorUs)}.\n`
    : '';
}

const FROM_FIRST_EVENT = 'Times count from the first event: no input says when the kernel started.\n';

const LOGGED: ReadonlySet<string> = new Set(['cloud-init', 'guest-agent', 'extension', 'kubelet']);

function nothingMeasured(rows: readonly TimelineRow[]): string {
  const instants = rows.filter((row) => row.startUs !== undefined).map((row) => row.name);
  const hasDurations = rows.some((row) => row.startUs === undefined);
  const known = [
    ...(instants.length > 0 ? [instants.join(', ')] : []),
    ...(hasDurations ? ['durations of units'] : []),
  ];
  const more = 'Add `systemd-analyze time`, `systemctl show` or a journal of the same boot with -i.';
  return `The boot time is unknown: the input has only ${known.join(' and ') || 'facts without times'}. ${more}`;
}
