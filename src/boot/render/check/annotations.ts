// boot/render/check/annotations.ts: a boot check as GitHub workflow commands, which become annotations of the run.
import type { BootCheck, CheckRow } from '../../questions/check/check-boot.ts';
import { describeRow, summarise } from './check-text.ts';

/** GitHub shows ten annotations of each level per step. */
const MOST_OF_A_LEVEL = 10;

/** What fails the check first; `file` is the budget, if it is in the repository. */
export function annotations(check: BootCheck, { file }: { file?: string | undefined } = {}): string {
  const failing = check.checks.filter(({ isFailure }) => isFailure);
  const open = check.checks.filter(({ verdict, isFailure }) => verdict === 'unknown' && !isFailure);
  const commands = [
    ...atMost(failing, 'error', (row) => command('error', describeRow(row), titleOf(row, file))),
    ...atMost(open, 'warning', (row) => command('warning', describeRow(row), titleOf(row, undefined))),
    command('notice', [summarise(check), check.baseline?.rule, ...check.notes].filter(Boolean).join('\n'), {
      title: 'boot check',
    }),
  ];
  return `${commands.join('\n')}\n`;
}

function titleOf(row: CheckRow, file: string | undefined): Record<string, string> {
  const isInFile = row.by === 'budget' && file !== undefined;
  return { ...(isInFile && { file }), title: `boot check: ${row.path} ${row.verdict}` };
}

/** The last one says how many are missing. */
function atMost(rows: readonly CheckRow[], level: string, render: (row: CheckRow) => string): string[] {
  if (rows.length <= MOST_OF_A_LEVEL) return rows.map(render);
  const shown = rows.slice(0, MOST_OF_A_LEVEL - 1);
  const rest = rows.slice(MOST_OF_A_LEVEL - 1).map(({ path }) => path);
  return [...shown.map(render), command(level, `${rest.length} more: ${rest.join(', ')}`, { title: 'boot check' })];
}

function command(level: string, message: string, properties: Readonly<Record<string, string>>): string {
  const given = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`);
  return `::${level} ${given.join(',')}::${escapeMessage(message)}`;
}

/** A line break would end the command, and what follows could be another one. */
function escapeMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
