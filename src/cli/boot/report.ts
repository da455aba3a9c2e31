// cli/boot/report.ts: `headstart boot report`: writes up to four boots as a self-contained HTML page.
import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { pickBoot } from '../../boot/load/pick-boot.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import { MOST_BOOTS, REPORT_MARK, renderReport } from '../../boot/render/report.ts';
import type { ReportView } from '../../boot/render/report-data.ts';
import { type NamedBoot, reportViews } from '../../boot/render/report-view.ts';
import { cannotWrite, writeAnswerFile } from '../output/answer-file.ts';
import { printJson } from '../output/json.ts';
import { versionOfThisCheckout } from '../this-checkout.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type BootOptions, printNotes, readBoots, withBootOptions } from './read-boot.ts';

interface ReportOptions extends BootOptions {
  output: string;
  force?: boolean;
}

export const verb: Verb = {
  examples: ['boot report bundle.tar.gz', 'boot report before.tar.gz after.tar.gz -o report.html'],
  configure(command) {
    withBootOptions(command)
      .argument('[FILE...]', 'one input per boot, up to four; the others are compared with the first')
      .option('-o, --output <FILE>', 'where to write the page; - is standard output', 'report.html')
      .option('--force', 'overwrite a file that is not a report');
  },
  async run(args, options: ReportOptions, deps) {
    if (options.output === '-' && options.json) throw stdoutTwice();
    if (options.output !== '-') refuseToOverwrite(options.output, options);
    const boots = await bootsToShow(args, options, deps);
    if (boots.length > MOST_BOOTS) throw tooMany(boots.length);
    for (const { record } of boots) printNotes(record, deps);
    const views = reportViews(boots);
    const html = renderReport(views, versionOfThisCheckout().version);
    if (options.output === '-') return deps.stdout(html);
    writeAnswerFile(options.output, html, 'boot/output-unwritable');
    const bytes = Buffer.byteLength(html);
    deps.stderr(`wrote ${options.output} (${Math.ceil(bytes / 1024)} KB)\n`);
    if (options.json) printJson(deps, 'BootReport', { file: options.output, bytes, boots: views.map(summary) });
  },
};

/** Each positional input is one boot; all inputs of -i are read together and may be one or several boots. */
async function bootsToShow(args: string[], options: ReportOptions, deps: CliDeps): Promise<NamedBoot[]> {
  if (args.length > 0) {
    if (options.input) throw bothWays();
    const boots: NamedBoot[] = [];
    for (const path of args) {
      const records = await readBoots({ ...options, input: [path] }, deps);
      boots.push({ record: pickBoot(records, options.boot ?? '0'), label: labelOf(path), inputs: [nameOf(path)] });
    }
    return boots;
  }
  const records = await readBoots(options, deps);
  const { input: paths } = options;
  if (!paths) return [{ record: pickBoot(records, '0'), label: options.host ?? 'this machine' }];
  const wanted = paths.length > 1 && options.boot === undefined ? records : [pickBoot(records, options.boot ?? '0')];
  return wanted
    .map((record) => ({ record, at: paths.findIndex((path) => cameFrom(record, path)) }))
    .sort((a, b) => a.at - b.at)
    .map(({ record, at }) => ({ record, label: labelOf(paths[Math.max(0, at)]!), inputs: paths.map(nameOf) }));
}

function cameFrom(record: BootRecord, path: string): boolean {
  return record.sources.some(({ input }) => input === path || input.startsWith(path.endsWith(sep) ? path : path + sep));
}

function labelOf(path: string): string {
  if (path === '-') return 'standard input';
  return basename(path).replace(/(\.tar)?\.(gz|zst|tgz)$|\.(tar|tgz)$/, '') || path;
}

/** Reports are shared, so commands do not include the folders of this machine. */
function nameOf(path: string): string {
  return path === '-' ? '-' : basename(path);
}

function summary(view: ReportView) {
  return { label: view.label, totalUs: view.totalUs, totalOf: view.totalOf, rows: view.rows.length };
}

/** Checked before the boots are read, so that a typing error costs no time. */
function refuseToOverwrite(path: string, { force }: ReportOptions): void {
  const stat = statIfExists(path);
  if (!stat) return;
  if (!stat.isFile()) throw notAFile(path);
  if (force || stat.size === 0 || startsAsReport(path)) return;
  throw new UserError(`${path} exists and is not a headstart report`, {
    code: 'boot/report-exists',
    kept: 'It was not changed.',
    next: 'choose another file with -o, or add --force',
  });
}

function statIfExists(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotWrite(path, 'boot/output-unwritable', error);
  }
}

function startsAsReport(path: string): boolean {
  const head = Buffer.alloc(1024);
  try {
    const fd = openSync(path, 'r');
    try {
      return head.toString('latin1', 0, readSync(fd, head, 0, head.length, 0)).includes(REPORT_MARK);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw cannotWrite(path, 'boot/output-unwritable', error);
  }
}

function notAFile(path: string): UserError {
  return new UserError(`${path} is not a regular file`, {
    code: 'boot/report-not-a-file',
    kept: 'It was not changed.',
    next: 'name a file with -o, or use `-o -` for standard output',
  });
}

function stdoutTwice(): UserError {
  return new UserError('both the report and --json would go to standard output', {
    code: 'boot/report-stdout-twice',
    next: 'name a file with -o, or leave out --json',
  });
}

function bothWays(): UserError {
  return new UserError('inputs are given both by name and with -i', {
    code: 'boot/report-inputs-mixed',
    next: 'one input per boot: `headstart boot report BEFORE AFTER`',
  });
}

function tooMany(count: number): UserError {
  return new UserError(`a report shows up to ${MOST_BOOTS} boots; these inputs hold ${count}`, {
    code: 'boot/report-too-many',
    next: `name up to ${MOST_BOOTS} inputs, or choose a boot with --boot`,
  });
}
