// cli/boot/check.ts: `headstart boot check`: did the boot stay within its budget, or within a baseline? Exits 3 if not, for CI.
import { isAbsolute } from 'node:path';
import { Option } from 'commander';
import { formatSpan, parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import type { BaselineRule } from '../../boot/questions/check/check-baseline.ts';
import { type BootCheck, type CheckRow, checkBoot } from '../../boot/questions/check/check-boot.ts';
import { annotations } from '../../boot/render/check/annotations.ts';
import { summarise } from '../../boot/render/check/check-text.ts';
import { junit } from '../../boot/render/check/junit.ts';
import { writeAnswerFile } from '../output/answer-file.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint, type Style } from '../output/paint.ts';
import { screenOf } from '../output/screen.ts';
import { type Column, renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type BootOptions, printNote, readBoot, withBootOptions, withInputArguments } from './read-boot.ts';
import { readBudget } from './read-budget.ts';
import { readSide } from './read-side.ts';

interface CheckOptions extends BootOptions {
  budget?: string;
  against?: string[];
  margin: string;
  threshold: string;
  format: 'text' | 'junit' | 'github';
  output?: string;
  allowMissing?: boolean;
}

const ANSWER_IS_NO = 3;

export const verb: Verb = {
  examples: [
    'boot check --budget budget.yaml',
    'boot check new.tar.gz --against monday.tar.gz tuesday.tar.gz',
    'boot check new.tar.gz --against boots/ --format junit -o boot-check.xml',
    'boot check --budget budget.yaml -i boot.tar.gz --allow-missing --json',
  ],
  notes:
    'A budget:\n  total: 60s\n  phases: {kernel: 2s}\n  units: {cloud-init.service: 5s}\n  milestones: {node-ready: 40s}\n\n' +
    'A baseline: the total, every phase, milestone and unit may be slower than in the slowest baseline boot, but not by\n' +
    'more than --margin and more than --threshold. Write the boot to check before --against.\n\n' +
    'Exit code: 0 within the limits, 3 exceeded or unknown, 2 the budget or the baseline cannot be read.',
  configure: (command) => {
    withInputArguments(withBootOptions(command))
      .option('--budget <FILE>', 'YAML with the limits: total, phases, units, milestones or spans')
      .option('--against <FILE|DIR...>', 'recorded boots as the baseline: bundles, records, or folders of them')
      .option('--margin <PERCENT>', 'with --against: how much slower than the slowest baseline boot is allowed', '10%')
      .option('--threshold <SPAN>', 'with --against: smaller differences never count', '500ms')
      .addOption(
        new Option('--format <FORMAT>', 'text, JUnit XML, or GitHub annotations')
          .choices(['text', 'junit', 'github'])
          .default('text'),
      )
      .option('-o, --output <FILE>', 'write junit or github to this file, and print the text')
      .option('--allow-missing', 'do not fail if a value with a limit is missing from the boot data');
  },
  async run(_args, options: CheckOptions, deps) {
    const rule = ruleOf(options);
    refuseUseless(options);
    const budget = options.budget === undefined ? undefined : readBudget(options.budget);
    const boots = options.against && (await readSide(options.against, deps));
    if (boots && !options.input && !deps.isStdinGiven?.())
      printNote('note', "checking this machine's boot; write a file to check before --against", deps);
    const record = await readBoot(options, deps);
    const check = checkBoot(record, {
      budget,
      against: boots && { boots, rule },
      allowMissing: options.allowMissing === true,
    });
    print(check, record, options, deps);
    return check.isWithin ? 0 : ANSWER_IS_NO;
  },
};

function ruleOf({ margin, threshold }: CheckOptions): BaselineRule {
  const percent = /^(\d{1,4}(?:\.\d{1,3})?) ?%?$/.exec(margin)?.[1];
  if (percent === undefined) throw bad(`--margin ${margin}: not a percentage`, 'write for example --margin 10%');
  const thresholdUs = parseSpan(threshold);
  if (thresholdUs === undefined)
    throw bad(`--threshold ${threshold}: not a time span`, 'write for example --threshold 500ms');
  return { margin: Number(percent) / 100, thresholdUs };
}

function refuseUseless({ budget, against, format, output, json }: CheckOptions): void {
  if (budget === undefined && against === undefined)
    throw bad('there is nothing to check the boot against', 'add --budget FILE, or recorded boots with --against BOOT');
  if (json && format !== 'text' && output === undefined)
    throw bad(`both ${format} and --json would go to standard output`, 'add -o FILE, or leave out one of them');
  if (output !== undefined && format === 'text')
    throw bad('-o FILE needs a format for the file', 'add --format junit or --format github, or redirect the output');
}

function bad(message: string, next: string): UserError {
  return new UserError(message, { code: 'boot/bad-check', next });
}

function print(check: BootCheck, record: BootRecord, options: CheckOptions, deps: CliDeps): void {
  for (const note of check.notes) printNote('note', note, deps);
  const rendered = render(check, record, options, deps);
  if (rendered !== undefined && options.output !== undefined)
    writeAnswerFile(options.output, rendered, 'boot/output-unwritable');
  if (rendered !== undefined && options.output === undefined) deps.stdout(rendered);
  else if (options.json) printJson(deps, 'BootCheck', { bootId: record.bootId, ...check });
  else printText(check, deps);
}

function render(check: BootCheck, record: BootRecord, options: CheckOptions, deps: CliDeps): string | undefined {
  const { format, budget } = options;
  if (format === 'github') return annotations(check, { file: budget && !isAbsolute(budget) ? budget : undefined });
  if (format !== 'junit') return undefined;
  const { bootId, clock, host } = record;
  const hostname = host.nodeName ?? host.hostname ?? 'unknown';
  return junit(check, { hostname, bootId, atUs: clock.wallAtZeroUs ?? deps.nowUs() });
}

function printText(check: BootCheck, deps: CliDeps): void {
  const screen = screenOf(deps);
  const rows = check.checks.filter(isShown);
  const hidden = check.checks.length - rows.length;
  const lines = [
    ...(hidden > 0 ? [`${hidden} unit${hidden === 1 ? ' is' : 's are'} ok and not shown; --json has all.`] : []),
    ...(check.baseline ? [check.baseline.rule] : []),
    paint(summarise(check), check.isWithin ? 'good' : 'bad', screen),
  ];
  const columns = check.baseline ? COLUMNS : COLUMNS.filter(({ title }) => title !== 'BASELINE');
  deps.stdout(renderTable(columns, rows, screen));
  deps.stdout(`\n${lines.map((line) => `${wrapLines(line, screen.columns)}\n`).join('')}`);
}

/** A baseline has hundreds of units, and almost all are ok. */
function isShown({ by, path, verdict }: CheckRow): boolean {
  return by === 'budget' || verdict !== 'ok' || !path.startsWith('units.');
}

const STYLES: Readonly<Record<CheckRow['verdict'], Style>> = { ok: 'good', exceeded: 'bad', unknown: 'warning' };

const COLUMNS: readonly Column<CheckRow>[] = [
  { title: 'VERDICT', cell: (row) => row.verdict, style: (row) => STYLES[row.verdict] },
  {
    title: 'BASELINE',
    align: 'right',
    cell: ({ baseline }) => (baseline ? rangeOf(baseline.fastestUs, baseline.slowestUs) : '-'),
  },
  { title: 'LIMIT', align: 'right', cell: (row) => spanOf(row.limitUs) },
  {
    title: 'ACTUAL',
    align: 'right',
    cell: (row) => spanOf(row.actualUs),
    style: (row) => (row.verdict === 'exceeded' ? 'bad' : undefined),
  },
  { title: 'WHAT', cell: (row) => row.path, narrow: 'wrap' },
  { title: '', cell: (row) => row.detail ?? '', narrow: 'wrap' },
];

function spanOf(us: number | undefined): string {
  return us === undefined ? '-' : formatSpan(us);
}

function rangeOf(fromUs: number, toUs: number): string {
  return fromUs === toUs ? formatSpan(toUs) : `${formatSpan(fromUs)} – ${formatSpan(toUs)}`;
}
