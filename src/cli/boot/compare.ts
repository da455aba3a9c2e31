// cli/boot/compare.ts: `headstart boot compare BEFORE AFTER`: what became slower, and what share of the difference is it?
import { formatSpan, parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../../boot/model/record.ts';
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
import { appendValue, printNote, readBoots } from './read-boot.ts';

interface CompareOptions {
  before?: string[];
  after?: string[];
  threshold: string;
  limit: string;
  target?: string;
  json?: boolean;
}

export const verb: Verb = {
  examples: [
    'boot compare first.tar.gz second.tar.gz',
    'boot compare monday/ tuesday/ --limit 10',
    'boot compare generic/ prototype/ --target kubelet.service',
    'boot compare --before a.tar.gz --before b.tar.gz --after c.tar.gz --after d.tar.gz --json',
  ],
  configure: (command) =>
    command
      .argument('[BEFORE]', 'a bundle, a file, or a folder of bundles; several boots are compared by their medians')
      .argument('[AFTER]', 'the boots to compare with BEFORE, in the same forms')
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
    const [before, after] = sidesOf(args, options);
    const sides = { before: await readSide(before, deps), after: await readSide(after, deps) };
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

function sidesOf(args: readonly string[], options: CompareOptions): [string[], string[]] {
  const named: [string[], string[]] = [options.before ?? [], options.after ?? []];
  const sides: [string[], string[]] = [
    [...args.slice(0, 1), ...named[0]],
    [...args.slice(1, 2), ...named[1]],
  ];
  if (sides[0].length > 0 && sides[1].length > 0) return sides;
  throw badOption(
    'compare needs two sides',
    'write `headstart boot compare BEFORE AFTER`, or name each boot with --before and --after',
  );
}

/** Reads each path separately: two bundles are two boots even if neither has a boot id. */
async function readSide(paths: readonly string[], deps: CliDeps): Promise<BootRecord[]> {
  const boots: BootRecord[] = [];
  for (const path of paths) for (const boot of await readBoots({ input: [path] }, deps)) boots.push(boot);
  // A log may cover many boots and the units only one of them. Medians of incomplete boots would mislead.
  const whole = boots.filter((boot) => boot.units.length > 0);
  if (whole.length === 0 || whole.length === boots.length) return boots;
  printNote(
    'note',
    `${paths.join(', ')}: ${boots.length - whole.length} of ${boots.length} boots have no unit times and are left out`,
    deps,
  );
  return whole;
}

function printAnswer(answer: BootCompare, limit: number, deps: CliDeps): void {
  const screen = screenOf(deps);
  const sentence = (text: string) => deps.stdout(`${wrapLines(text, screen.columns)}\n`);
  sentence(headline(answer, screen));
  const shown = sectionsOf(answer).map(({ title, rows }) => ({
    title,
    rows: rows.slice(0, limit),
    hidden: Math.max(0, rows.length - limit),
  }));
  for (const { title, rows } of shown)
    if (rows.length > 0) {
      sentence(`\n${title}`);
      deps.stdout(renderTable(columnsOf(answer), rows, screen));
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
function sectionsOf({ changes, total }: BootCompare): { title: string; rows: MeasureChange[] }[] {
  const isSummary = (row: MeasureChange) => row.onPath === 'no' && (row.what === 'milestone' || row.what === 'phase');
  const others = changes.filter((row) => !isSummary(row));
  const end = total?.name ?? 'the end of the boot';
  return [
    {
      title: `On the path to ${end} (SHARE of the difference; with · part of the unit it ran in)`,
      rows: others.filter((row) => row.onPath !== 'no'),
    },
    {
      title: total ? `Not on the path: ${end} did not wait for these` : 'Differences',
      rows: others.filter((row) => row.onPath === 'no'),
    },
    { title: 'Phases and milestones', rows: changes.filter((row) => isSummary(row) && row.name !== total?.name) },
  ];
}

function headline({ total, boots }: BootCompare, screen: Screen): string {
  const counted = `${boots.before} ${boots.before === 1 ? 'boot' : 'boots'} before, ${boots.after} after`;
  if (!total) return `${counted}; no total to compare`;
  const { beforeUs, afterUs, deltaUs } = total;
  const verdict = deltaUs === 0 ? 'the same' : `${formatSpan(Math.abs(deltaUs))} ${deltaUs > 0 ? 'slower' : 'faster'}`;
  return `${total.name}: ${formatSpan(beforeUs)} → ${formatSpan(afterUs)}, ${paint(verdict, directionOf(total), screen)}${noise(total)} (${counted})`;
}

function directionOf({ deltaUs = 0, isNoise }: Partial<TimeDifference>): Style | undefined {
  if (deltaUs === 0 || isNoise) return undefined;
  return deltaUs > 0 ? 'bad' : 'good';
}

function noise({ deltaUs, isNoise, noiseUs }: Partial<TimeDifference>): string {
  return isNoise && deltaUs !== 0 ? `, within noise (± ${formatSpan(Math.round(noiseUs ?? 0))})` : '';
}

function columnsOf(answer: BootCompare): Column<MeasureChange>[] {
  const names = new Map(answer.changes.map((change) => [change.id, change.name]));
  const span = (us: number | undefined) => (us === undefined ? '-' : formatSpan(us));
  return [
    { title: 'CHANGE', cell: (row) => row.change, style: directionOf },
    { title: 'BEFORE', align: 'right', cell: (row) => span(row.beforeUs) },
    { title: 'AFTER', align: 'right', cell: (row) => span(row.afterUs) },
    {
      title: 'DIFFERENCE',
      align: 'right',
      cell: (row) => `${row.deltaUs > 0 ? '+' : ''}${formatSpan(row.deltaUs)}`,
      style: directionOf,
    },
    { title: 'SHARE', align: 'right', cell: shareOf },
    {
      title: 'WHAT',
      cell: (row) => `${row.source} ${row.inside !== undefined && names.has(row.inside) ? '· ' : ''}${row.name}`,
      narrow: 'wrap',
    },
    { title: '', cell: remarkOf, style: () => 'aside', narrow: 'wrap' },
  ];
}

function shareOf({ onPath, share }: MeasureChange): string {
  return onPath === 'no' || share === undefined ? '' : `${Math.round(100 * share)}%`;
}

function remarkOf({ onPath, isNoise }: MeasureChange): string {
  const path = onPath === 'before' ? 'no longer on the path' : onPath === 'after' ? 'now on the path' : '';
  return [path, isNoise ? 'within noise' : ''].filter(Boolean).join(', ');
}
