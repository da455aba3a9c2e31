// cli/boot/check.ts: `headstart boot check --budget FILE`: did the boot stay within its budget? Exits 3 if not, for CI.
import { formatSpan } from '../../base/duration.ts';
import { type BudgetCheck, checkBootBudget } from '../../boot/questions/check-budget.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint, type Style } from '../output/paint.ts';
import { screenOf } from '../output/screen.ts';
import { type Column, renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type BootOptions, readBoot, withBootOptions, withInputArguments } from './read-boot.ts';
import { readBudget } from './read-budget.ts';

interface CheckOptions extends BootOptions {
  budget: string;
  allowMissing?: boolean;
}

const ANSWER_IS_NO = 3;

export const verb: Verb = {
  examples: [
    'boot check --budget budget.yaml',
    'boot check --budget budget.yaml -i boot.tar.gz --allow-missing --json',
  ],
  notes:
    'A budget:\n  total: 60s\n  phases: {kernel: 2s}\n  units: {cloud-init.service: 5s}\n  milestones: {node-ready: 40s}\n\n' +
    'Exit code: 0 within the budget, 3 exceeded or unknown, 2 the budget cannot be read.',
  configure: (command) => {
    withInputArguments(withBootOptions(command))
      .requiredOption('--budget <FILE>', 'YAML with the limits: total, phases, units, milestones or spans')
      .option('--allow-missing', 'do not fail if a value with a limit is missing from the boot data');
  },
  async run(_args, options: CheckOptions, deps) {
    const budget = readBudget(options.budget);
    const record = await readBoot(options, deps);
    const checks = checkBootBudget(record, budget);
    const isBad = ({ verdict }: BudgetCheck) =>
      verdict === 'exceeded' || (verdict === 'unknown' && !options.allowMissing);
    const isWithin = !checks.some(isBad);
    const screen = screenOf(deps);
    const verdict = paint(summary(checks, isWithin), isWithin ? 'good' : 'bad', screen);
    if (options.json) printJson(deps, 'BootCheck', { bootId: record.bootId, isWithin, checks });
    else deps.stdout(`${renderTable(COLUMNS, checks, screen)}\n${wrapLines(verdict, screen.columns)}\n`);
    return isWithin ? 0 : ANSWER_IS_NO;
  },
};

const STYLES: Readonly<Record<BudgetCheck['verdict'], Style>> = { ok: 'good', exceeded: 'bad', unknown: 'warning' };

const COLUMNS: readonly Column<BudgetCheck>[] = [
  { title: 'VERDICT', cell: (row) => row.verdict, style: (row) => STYLES[row.verdict] },
  { title: 'LIMIT', align: 'right', cell: (row) => formatSpan(row.limitUs) },
  {
    title: 'ACTUAL',
    align: 'right',
    cell: (row) => (row.actualUs === undefined ? '-' : formatSpan(row.actualUs)),
    style: (row) => (row.verdict === 'exceeded' ? 'bad' : undefined),
  },
  { title: 'WHAT', cell: (row) => row.path, narrow: 'wrap' },
  { title: '', cell: (row) => row.detail ?? '', narrow: 'wrap' },
];

function summary(checks: readonly BudgetCheck[], isWithin: boolean): string {
  const count = (verdict: BudgetCheck['verdict']) => checks.filter((check) => check.verdict === verdict).length;
  const counts = `${count('ok')} ok, ${count('exceeded')} exceeded, ${count('unknown')} unknown`;
  return `${isWithin ? 'Within the budget' : 'Not within the budget'}: ${counts}.`;
}
