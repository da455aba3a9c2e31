// cli/boot/history.ts: `headstart boot history`: lists the recorded boots and what changed between them.
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { RECORDS_FOLDER, readRecords } from '../../boot/keep/record-store.ts';
import { FIGURES, type HistoryChange, history, type PastBoot } from '../../boot/questions/history.ts';
import { printJson } from '../output/json.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';

interface Options {
  dir: string;
  number?: string;
  json?: boolean;
}

export const verb: Verb = {
  examples: ['boot history', 'boot history -n 20 --json'],
  configure(command) {
    command
      .option('--dir <DIR>', 'the folder with the records', RECORDS_FOLDER)
      .option('-n, --number <N>', 'list only the last N boots')
      .option('--json', 'print one JSON document');
  },
  run(_args, options: Options, deps) {
    if (options.number !== undefined && !/^[1-9]\d{0,8}$/.test(options.number)) {
      throw new UserError(`-n: ${JSON.stringify(options.number)} is not a number of at least 1`, {
        code: 'boot/bad-usage',
        next: 'headstart boot history --help',
      });
    }
    const { records, damaged } = readRecords(options.dir);
    for (const { path, why } of damaged) deps.stderr(`warning: ${printable(path)} left out: ${printable(why)}\n`);
    if (records.length === 0) throw noHistory(options.dir, damaged.length);
    // Compares with all earlier boots, even if only the last ones are shown.
    const boots = history(records.map(({ record }) => record)).slice(-Number(options.number ?? records.length));
    if (options.json) printJson(deps, 'BootHistory', { boots, damaged });
    else deps.stdout(table(boots, screenOf(deps)));
  },
};

function noHistory(folder: string, damagedCount: number): UserError {
  const why =
    damagedCount > 0 ? `all ${damagedCount} records in ${folder} are damaged` : `no boot is recorded in ${folder}`;
  return new UserError(why, {
    code: 'boot/no-history',
    next:
      folder === RECORDS_FOLDER
        ? 'record every boot from now on with `headstart boot record --install`'
        : `record this boot there with \`headstart boot record --dir ${shellWord(folder)}\``,
    exitCode: 1,
  });
}

function table(boots: readonly PastBoot[], screen: Screen): string {
  const shown = FIGURES.filter((figure) => boots.some((boot) => boot.tookUs[figure] !== undefined));
  return renderTable<PastBoot>(
    [
      { title: 'BOOT', cell: (boot) => boot.bootId?.slice(0, 8) ?? '-' },
      { title: 'STARTED (UTC)', cell: (boot) => stamp(boot.startedAtUs) },
      ...shown.map((figure) => ({
        title: figure.toUpperCase(),
        align: 'right' as const,
        cell: ({ tookUs }: PastBoot) => (tookUs[figure] === undefined ? '-' : formatSpan(tookUs[figure])),
      })),
      { title: 'CHANGED', cell: (boot) => boot.changes.map(inWords).join('; '), narrow: 'wrap' },
    ],
    boots,
    screen,
  );
}

/** A damaged record may have a number that is not a valid date. */
function stamp(us: number | undefined): string {
  const date = new Date((us ?? Number.NaN) / 1000);
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString().slice(0, 19).replace('T', ' ');
}

const MAX_UNITS_NAMED = 3;

function inWords(change: HistoryChange): string {
  if (change.what === 'fact') return `${change.fact} ${change.from} → ${change.to}`;
  if ('units' in change) {
    const named = change.units.slice(0, MAX_UNITS_NAMED).join(', ');
    const more = change.units.length - MAX_UNITS_NAMED;
    return `${change.what === 'new-units' ? 'new' : 'gone'}: ${named}${more > 0 ? ` and ${more} more` : ''}`;
  }
  const sign = change.what === 'slower' ? '+' : '-';
  return `${change.figure} ${change.what}, ${sign}${formatSpan(Math.round(Math.abs(change.toUs - change.fromUs)))}`;
}
