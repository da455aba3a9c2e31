// cli/boot/blame.ts: `headstart boot blame`: what took longest? All sources in one list.
import { InvalidArgumentError, Option } from 'commander';
import { formatSpan, parseSpan } from '../../base/duration.ts';
import { type BlameEntry, blame } from '../../boot/questions/blame.ts';
import { wrapText } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint, type Style } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type BootOptions, readBoot, withBootOptions, withInputArguments } from './read-boot.ts';
import { renderUse } from './render-use.ts';

interface Options extends BootOptions {
  atLeast: number;
}

export const verb: Verb = {
  examples: ['boot blame', 'boot blame boot.tar.gz --at-least 500ms'],
  configure: (command) =>
    withInputArguments(withBootOptions(command)).addOption(
      new Option('--at-least <SPAN>', 'hide entries that took less time')
        .argParser(spanArgument)
        .default(10_000, '10ms; --json prints all'),
    ),
  async run(_args, options: Options, deps) {
    const record = await readBoot(options, deps);
    const { work, waits } = blame(record);
    if (options.json) return printJson(deps, 'BootBlame', { bootId: record.bootId, clock: record.clock, work, waits });
    const width = [...work, ...waits].reduce((most, entry) => Math.max(most, formatSpan(entry.tookUs).length), 0);
    const page = { width, screen: screenOf(deps) };
    const lines = listing(work, options.atLeast, page, 0);
    if (waits.length > 0) {
      lines.push('', 'All waits for things outside the node, on the path or not:');
      for (const entry of waits) lines.push(...describe(entry, page, 0));
    }
    deps.stdout(`${lines.join('\n')}\n`);
  },
};

interface Page {
  /** The width of the time column. */
  width: number;
  screen: Screen;
}

function listing(entries: readonly BlameEntry[], atLeastUs: number, page: Page, depth: number): string[] {
  return entries
    .filter((entry) => entry.tookUs >= atLeastUs)
    .flatMap((entry) => [...describe(entry, page, depth), ...listing(entry.parts, atLeastUs, page, depth + 1)]);
}

function describe(entry: BlameEntry, { width, screen }: Page, depth: number): string[] {
  const styled = (text: string, style: Style) => (text === '' ? '' : ` ${paint(text.trimStart(), style, screen)}`);
  const why = entry.failure === undefined ? '' : `: ${printable(entry.failure)}`;
  const failed = entry.result === 'fail' ? ` (failed${why})` : entry.result === 'warn' ? ' (with warnings)' : '';
  const trigger = entry.startedBy === undefined ? '' : ` (started by ${printable(entry.startedBy)})`;
  const own = entry.parts.length > 0 ? ` (${formatSpan(entry.ownUs)} own time)` : '';
  const source = entry.source === 'systemd' || depth > 0 ? '' : ` [${entry.source}]`;
  const waited = entry.wait === undefined && entry.waitUs > 0 ? ` (${formatSpan(entry.waitUs)} of waits inside)` : '';
  const wait = entry.wait === undefined ? '' : ` [${depth > 0 ? 'wait: ' : ''}${printable(entry.wait)}]`;
  const use = renderUse(entry.used, entry.tookUs);
  const took = formatSpan(entry.tookUs).padStart(width);
  const remarks = `${source}${own}${use === '' ? '' : ` (${use})`}${styled(waited, 'wait')}${styled(failed, entry.result === 'fail' ? 'bad' : 'warning')}${trigger}`;
  const line = `${'  '.repeat(depth)}${took} ${printable(entry.name)}${remarks}${styled(wait, 'wait')}`;
  return wrapText(line, screen.columns, 2 * depth + width + 1);
}

export function spanArgument(text: string): number {
  const us = parseSpan(text);
  if (us === undefined) throw new InvalidArgumentError(`"${text}" is not a time span such as 200ms or 1min 5s.`);
  return us;
}
