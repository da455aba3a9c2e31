// cli/boot/blame.ts: `headstart boot blame`: what took longest, over everything at once.
import { InvalidArgumentError, Option } from 'commander';
import { formatSpan, parseSpan } from '../../base/duration.ts';
import { type BlameEntry, blame } from '../../boot/blame.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type BootOptions, readBoot, withBootOptions, withInputArguments } from './read-boot.ts';

interface Options extends BootOptions {
  atLeast: number;
}

export const verb: Verb = {
  examples: ['boot blame', 'boot blame boot.tar.gz --at-least 500ms'],
  configure: (command) =>
    withInputArguments(withBootOptions(command)).addOption(
      new Option('--at-least <SPAN>', 'leave out everything that took less')
        .argParser(spanArgument)
        .default(10_000, '10ms; --json has everything'),
    ),
  async run(_args, options: Options, edges) {
    const record = await readBoot(options, edges);
    const { work, waits } = blame(record);
    if (options.json) return printJson(edges, 'BootBlame', { bootId: record.bootId, clock: record.clock, work, waits });
    const width = [...work, ...waits].reduce((most, entry) => Math.max(most, formatSpan(entry.tookUs).length), 0);
    const lines = listing(work, options.atLeast, width, 0);
    if (waits.length > 0) {
      lines.push('', 'Waits for something outside the node, not its work:');
      for (const entry of waits) lines.push(line(entry, width, 0));
    }
    edges.stdout(`${lines.join('\n')}\n`);
  },
};

function listing(entries: readonly BlameEntry[], atLeastUs: number, width: number, depth: number): string[] {
  return entries
    .filter((entry) => entry.tookUs >= atLeastUs)
    .flatMap((entry) => [line(entry, width, depth), ...listing(entry.parts, atLeastUs, width, depth + 1)]);
}

function line(entry: BlameEntry, width: number, depth: number): string {
  const failed = entry.result === 'fail' ? ' (failed)' : entry.result === 'warn' ? ' (with warnings)' : '';
  const own = entry.parts.length > 0 ? ` (${formatSpan(entry.ownUs)} of its own)` : '';
  const source = entry.source === 'systemd' || depth > 0 ? '' : ` [${entry.source}]`;
  const waited = entry.wait === undefined && entry.waitUs > 0 ? ` (${formatSpan(entry.waitUs)} of waits inside)` : '';
  const wait = entry.wait === undefined ? '' : ` [${depth > 0 ? 'wait: ' : ''}${printable(entry.wait)}]`;
  return `${'  '.repeat(depth)}${formatSpan(entry.tookUs).padStart(width)} ${printable(entry.name)}${source}${own}${waited}${failed}${wait}`;
}

export function spanArgument(text: string): number {
  const us = parseSpan(text);
  if (us === undefined) throw new InvalidArgumentError(`"${text}" is not a time span such as 200ms or 1min 5s.`);
  return us;
}
