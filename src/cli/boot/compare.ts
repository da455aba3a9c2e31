// cli/boot/compare.ts: `headstart boot compare BEFORE AFTER`: what became slower, and what share of the difference is it?
import { formatSpan, parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import {
  type BootCompare,
  compareBoots,
  type MeasureChange,
  type TimeDifference,
} from '../../boot/questions/compare.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint, type Style } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { type Column, printable, renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type HostOptions, withHostOptions } from './host-options.ts';
import { appendValue, printNote, readBoots } from './read-boot.ts';
import { readSide } from './read-side.ts';
import type { BootSides } from './two-boots.ts';

interface CompareOptions extends HostOptions {
  before?: string[];
  after?: string[];
  threshold: string;
  limit: string;
  target?: string;
  boot?: string;
  json?: boolean;
}

export const verb: Verb = {
  examples: [
    'boot compare first.tar.gz second.tar.gz',
    'boot compare',
    'boot compare journal.json --boot -2',
    'boot compare good.tar.gz --host azureuser@10.0.0.4',
    'boot compare monday/ tuesday/ --limit 10',
    'boot compare generic/ prototype/ --target kubelet.service',
    'boot compare --before a.tar.gz --before b.tar.gz --after c.tar.gz --after d.tar.gz --json',
  ],
  notes:
    'Without arguments: the last boot of this machine, or of --host, against the one before it. With BEFORE only: the\n' +
    'last boot in it against the one before; with --host: the last boot of that machine against BEFORE. An earlier boot\n' +
    'is read from its record (`boot record`), else from the journal, which has no ordering of units.',
  configure: (command) =>
    withHostOptions(command)
      .argument('[BEFORE]', 'a bundle, a file, or a folder of bundles; several boots are compared by their medians')
      .argument('[AFTER]', 'the boots to compare with BEFORE, in the same forms')
      .option('-b, --boot <N|ID>', 'without AFTER: compare the last boot with this one; default: -1, the one before it')
      .option('--before <FILE|DIR>', 'add this to the first side; repeatable', appendValue)
      .option('--after <FILE|DIR>', 'add this to the second side; repeatable', appendValue)
      .option(
        '--target <UNIT>',
        'the unit or milestone that ends the boot; default: node-ready, else the end of startup, else the default target',
      )
      .option('--threshold <SPAN>', 'hide smaller differences', '10ms')
      .option('--limit <N>', 'how many rows to print; --json prints all', '25')
      .option('--json', 'print one JSON document'),
  async run(args, options: CompareOptions, deps) {
    const thresholdUs = parseSpan(options.threshold);
    if (thresholdUs === undefined)
      throw badOption(`--threshold ${options.threshold}: not a time span`, 'write for example --threshold 100ms');
    if (!/^\d{1,6}$/.test(options.limit))
      throw badOption(`--limit ${options.limit}: not a number of rows`, 'write for example --limit 50');
    const sides = await readSides(args, options, deps);
    const { target } = options;
    const answer = compareBoots(sides.before, sides.after, { thresholdUs, ...(target !== undefined && { target }) });
    if (target !== undefined && !answer.total)
      throw badOption(
        `--target ${printable(target)}: one side has no boot in which it started`,
        'name a unit or milestone that both sides have; `headstart boot timeline` lists them',
      );
    if (options.json) return printJson(deps, 'BootCompare', answer);
    printAnswer(answer, Number(options.limit), deps);
  },
};

function badOption(message: string, next: string): UserError {
  return new UserError(message, { code: 'boot/bad-compare', next });
}

async function readSides(args: readonly string[], options: CompareOptions, deps: CliDeps): Promise<BootSides> {
  const before = [...args.slice(0, 1), ...(options.before ?? [])];
  const after = [...args.slice(1, 2), ...(options.after ?? [])];
  const isTwoSided = before.length > 0 && after.length > 0;
  const { host, sudo } = options;
  const machine: HostOptions = { ...(host !== undefined && { host }), ...(sudo !== undefined && { sudo }) };
  if (host !== undefined && after.length > 0)
    throw badOption('--host is the second side, and another one is given', 'leave out --host, or AFTER');
  if (isTwoSided && options.boot !== undefined)
    throw badOption(
      '--boot selects among the boots of one input, and two sides are given',
      'omit --boot, or give one input only',
    );
  if (isTwoSided) return { before: await readSide(before, deps), after: await readSide(after, deps) };
  if (after.length > 0 || (before.length > 1 && host === undefined))
    throw badOption(
      'compare needs two sides',
      'write `headstart boot compare BEFORE AFTER`, or name each boot with --before and --after',
    );
  if (host !== undefined && before.length > 0 && options.boot === undefined)
    return { before: await readSide(before, deps), after: (await readBoots(machine, deps)).slice(-1) };
  const { lastTwoBoots } = await import('./two-boots.ts');
  return lastTwoBoots({ input: before[0], ...machine }, options.boot ?? '-1', deps);
}

function printAnswer(answer: BootCompare, limit: number, deps: CliDeps): void {
  const screen = screenOf(deps);
  const sentence = (text: string) => deps.stdout(`${wrapLines(text, screen.columns)}\n`);
  sentence(headline(answer, screen));
  if (answer.total && answer.waits) sentence(waitsLine(answer.total, answer.waits));
  const shown = sectionsOf(answer).map(({ title, rows }) => ({
    title,
    rows: rows.slice(0, limit),
    hidden: Math.max(0, rows.length - limit),
  }));
  for (const { title, rows } of shown)
    if (rows.length > 0) {
      sentence(`\n${title}`);
      deps.stdout(renderTable(columnsOf(answer, rows), rows, screen));
    }
  const hidden = shown.reduce((sum, section) => sum + section.hidden, 0);
  const left = [
    hidden > 0 && `${hidden} more (--limit)`,
    answer.belowThreshold > 0 && `${answer.belowThreshold} below ${formatSpan(answer.thresholdUs)} (--threshold)`,
  ].filter(Boolean);
  if (answer.changes.length === 0) sentence('\nNo difference is larger than the threshold.');
  if (left.length > 0) sentence(`\nNot shown: ${left.join(', ')}.`);
  for (const note of answer.notes) printNote('note', note, deps);
}

/** First the causes of the difference, then other differences, then the phases and milestones that show it. */
function sectionsOf(answer: BootCompare): { title: string; rows: MeasureChange[] }[] {
  const { changes, total } = answer;
  const isSummary = (row: MeasureChange) => !isOnPath(row) && (row.what === 'milestone' || row.what === 'phase');
  const others = changes.filter((row) => !isSummary(row));
  const end = total?.name ?? 'the end of the boot';
  const share = hasShares(answer) ? '; SHARE: EFFECT as a part of it' : '';
  return [
    {
      title: `On the path to ${end} (EFFECT: adds up to the difference${share}; · is part of the unit it ran in)`,
      rows: others.filter(isOnPath),
    },
    {
      title: total ? `Not on the path: ${end} did not wait for these` : 'Differences',
      rows: others.filter((row) => row.onPath === 'no'),
    },
    {
      title: `Ordering unknown: the input does not say whether ${end} waited for these`,
      rows: others.filter((row) => row.onPath === 'unknown'),
    },
    { title: 'Phases and milestones', rows: changes.filter((row) => isSummary(row) && row.name !== total?.name) },
  ];
}

function isOnPath({ onPath }: MeasureChange): boolean {
  return onPath !== 'no' && onPath !== 'unknown';
}

/** Percentages of a difference mislead if effects of both directions cancel out: -158% of it and 178% of it. */
function hasShares({ changes }: BootCompare): boolean {
  const shares = changes.filter((row) => isOnPath(row) && row.share !== undefined).map((row) => row.share!);
  return shares.length > 0 && shares.every((share) => share > -0.05 && share < 1.05);
}

function waitsLine({ beforeUs, afterUs }: TimeDifference, waits: TimeDifference): string {
  if (waits.beforeUs === 0 && waits.afterUs === 0) return 'No waits on the path: all of it is own time.';
  const own = `${formatSpan(beforeUs - waits.beforeUs)} → ${formatSpan(afterUs - waits.afterUs)}`;
  return `Of it waits on the path: ${formatSpan(waits.beforeUs)} → ${formatSpan(waits.afterUs)}; own time: ${own}.`;
}

function headline({ total, boots, from }: BootCompare, screen: Screen): string {
  const counted = `${boots.before} ${boots.before === 1 ? 'boot' : 'boots'} before, ${boots.after} after`;
  if (!total) return `${counted}; no total to compare`;
  const { beforeUs, afterUs, deltaUs } = total;
  const verdict = deltaUs === 0 ? 'the same' : `${formatSpan(Math.abs(deltaUs))} ${deltaUs > 0 ? 'slower' : 'faster'}`;
  const [since, until] = from ? [` from ${from.before}`, ` from ${from.after}`] : ['', ''];
  return `${total.name}: ${formatSpan(beforeUs)}${since} → ${formatSpan(afterUs)}${until}, ${paint(verdict, directionOf(total), screen)}${noise(total)} (${counted})`;
}

function directionOf({ deltaUs = 0, isNoise }: Partial<TimeDifference>): Style | undefined {
  if (deltaUs === 0 || isNoise) return undefined;
  return deltaUs > 0 ? 'bad' : 'good';
}

function noise({ deltaUs, isNoise, noiseUs }: Partial<TimeDifference>): string {
  return isNoise && deltaUs !== 0 ? `, within noise (± ${formatSpan(Math.round(noiseUs ?? 0))})` : '';
}

function columnsOf(answer: BootCompare, rows: readonly MeasureChange[]): Column<MeasureChange>[] {
  const isPath = rows.some(isOnPath);
  const names = new Map(answer.changes.map((change) => [change.id, change.name]));
  const span = (us: number | undefined) => (us === undefined ? '-' : formatSpan(us));
  return [
    { title: 'CHANGE', cell: (row) => row.change, style: directionOf },
    { title: 'BEFORE', align: 'right', cell: (row) => span(row.beforeUs) },
    { title: 'AFTER', align: 'right', cell: (row) => span(row.afterUs) },
    { title: 'DIFFERENCE', align: 'right', cell: (row) => signed(row.deltaUs), style: directionOf },
    ...(isPath
      ? [{ title: 'EFFECT', align: 'right' as const, cell: (row: MeasureChange) => signed(row.explainsUs) }]
      : []),
    ...(isPath && hasShares(answer) ? [{ title: 'SHARE', align: 'right' as const, cell: shareOf }] : []),
    { title: 'KIND', cell: kindOf, style: (row) => (row.wait === undefined ? undefined : 'wait') },
    {
      title: 'WHAT',
      cell: (row) => `${row.source} ${row.inside !== undefined && names.has(row.inside) ? '· ' : ''}${row.name}`,
      narrow: 'wrap',
    },
    { title: '', cell: remarkOf, style: () => 'aside', narrow: 'wrap' },
  ];
}

function signed(us: number): string {
  return `${us > 0 ? '+' : ''}${formatSpan(us)}`;
}

function kindOf({ what, wait }: MeasureChange): string {
  if (what === 'unit' || what === 'span') return wait === undefined ? 'work' : 'wait';
  return what === 'gap' ? 'gap' : '';
}

function shareOf({ share }: MeasureChange): string {
  return share === undefined || share < 0 ? '' : `${Math.min(100, Math.round(100 * share))}%`;
}

function remarkOf({ onPath, isNoise, wait, change }: MeasureChange): string {
  const path = onPath === 'before' ? 'no longer on the path' : onPath === 'after' ? 'now on the path' : '';
  const delay = onPath === 'both' && change === 'moved' ? 'the delay before it changed' : '';
  return [wait, path, delay, isNoise ? 'within noise' : ''].filter(Boolean).join(', ');
}
