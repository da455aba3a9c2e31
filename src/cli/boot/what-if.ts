// cli/boot/what-if.ts: `headstart boot what-if`: how much time would these edits save, or which edit would save most?
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { parseEdit, type WhatIfEdit } from '../../boot/questions/edits.ts';
import { type WhatIf, type WhatIfLink, whatIf } from '../../boot/questions/what-if.ts';
import { type WhatIfScan, whatIfScan } from '../../boot/questions/what-if-scan.ts';
import { displayWidth, wrapLines, wrapText } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import {
  addInput,
  appendValue,
  type BootOptions,
  printNote,
  readBoot,
  withBootOptions,
  withInputArguments,
} from './read-boot.ts';
import { indentLimit } from './render-chain.ts';

interface WhatIfOptions extends BootOptions {
  dropAfter?: string[];
  after?: string[];
  set?: string[];
  mask?: string[];
  add?: string[];
  target?: string;
  scan?: string | true;
}

const SCAN_LIMIT = 10;

export const verb: Verb = {
  examples: [
    "boot what-if --drop-after 'kubelet.service cloud-final.service' --target kubelet.service",
    'boot what-if --scan boot.tar.gz',
    "boot what-if --add 'app.service After=cloud-init.service Took=2s' --set cloud-init.service=0s --target app.service",
  ],
  configure: (command: Command) => {
    withInputArguments(withBootOptions(command))
      .option(
        '--drop-after <UNIT DEPENDENCY>',
        'UNIT no longer waits for DEPENDENCY; every edit is repeatable',
        appendValue,
      )
      .option('--after <UNIT DEPENDENCY>', 'UNIT also waits for DEPENDENCY', appendValue)
      .option('--set <UNIT=SPAN>', 'UNIT takes this long to start, as in kubelet.service=200ms', appendValue)
      .option('--mask <UNIT>', 'UNIT does not start', appendValue)
      .option(
        '--add <UNIT After=… Took=…>',
        'add a unit that is not in the recording, to both sides of the comparison',
        appendValue,
      )
      .option(
        '--target <UNIT>',
        'the unit whose start time is estimated; default: the default target, else the unit that started last',
      )
      .option('--scan [N]', `list the N single edits that save most (default: ${SCAN_LIMIT})`, (value: string) => {
        // `--scan FILE` means `--scan` and a file.
        if (/^\d+$/.test(value) || !existsSync(value)) return value;
        addInput(command, value);
        return true;
      });
  },
  async run(_args, options: WhatIfOptions, deps) {
    const edits = editsOf(options);
    const limit = scanLimit(options.scan);
    const record = await readBoot(options, deps);
    if (limit !== undefined) {
      const found = whatIfScan(record, {
        limit,
        edits,
        ...(options.target !== undefined && { target: options.target }),
      });
      return options.json ? printJson(deps, 'WhatIfScan', found) : printScan(found, deps);
    }
    const answer = whatIf(record, edits, options.target);
    return options.json ? printJson(deps, 'WhatIf', answer) : printAnswer(answer, deps);
  },
};

function editsOf(options: WhatIfOptions): WhatIfEdit[] {
  const given: readonly (readonly [WhatIfEdit['kind'], string[] | undefined])[] = [
    ['add', options.add],
    ['drop-after', options.dropAfter],
    ['after', options.after],
    ['set', options.set],
    ['mask', options.mask],
  ];
  return given.flatMap(([kind, texts]) => (texts ?? []).map((text) => parseEdit(kind, text)));
}

function scanLimit(scan: string | true | undefined): number | undefined {
  if (scan === undefined) return undefined;
  if (scan === true) return SCAN_LIMIT;
  if (/^[1-9]\d{0,5}$/.test(scan)) return Number(scan);
  throw new UserError(`--scan ${scan}: not a number of edits to list`, {
    code: 'boot/bad-scan',
    next: 'write --scan or --scan 20',
  });
}

function printAnswer(answer: WhatIf, deps: CliDeps): void {
  const { before, after, savedUs, target } = answer;
  const share = shown(before) > 0 ? ` (${((100 * Math.abs(savedUs)) / shown(before)).toFixed(1)}%)` : '';
  const screen = screenOf(deps);
  const longest = answer.chain.reduce((most, { unit }) => Math.max(most, displayWidth(printable(unit))), 0);
  const page = { deepest: indentLimit(longest, screen), userspaceUs: answer.clock.userspaceUs ?? 0, screen };
  const verdict =
    savedUs < 0
      ? `lost    ${formatSpan(-savedUs)}${share}`
      : `saved   ${formatSpan(savedUs)}${savedUs > 0 ? share : ''}`;
  const lines = [
    `${printable(target)}, ${since(answer)}`,
    `before  ${formatSpan(shown(before))}`,
    `after   ${formatSpan(shown(after))}`,
    paint(verdict, savedUs < 0 ? 'bad' : savedUs > 0 ? 'good' : undefined, screen),
    '',
    answer.edits.length > 0 ? 'Edits:' : 'No edits: this is the boot as recorded. Try --scan, or see --help.',
    ...answer.edits.flatMap((edit) => wrapText(`  ${printable(edit.text)}`, screen.columns, 4)),
    '',
    'The new chain (@ when the unit began to start, + how long it took):',
    ...answer.chain.flatMap((link, depth) => describeLink(link, depth, page)),
    '',
    `Assumption: ${answer.assumption}.`,
  ];
  deps.stdout(`${wrapLines(lines.join('\n'), screen.columns)}\n`);
  warn(answer.notes, deps);
}

interface ChainPage {
  deepest: number;
  userspaceUs: number;
  screen: Screen;
}

function describeLink(link: WhatIfLink, depth: number, { deepest, userspaceUs, screen }: ChainPage): string[] {
  const took = link.tookUs > 0 ? ` +${formatSpan(link.tookUs)}` : '';
  // A pasted or generated chain may have thousands of links: deeper indentation would push it off the screen.
  const indent = ' '.repeat(Math.min(2 * depth, 80, deepest));
  const name = paint(printable(link.unit), link.tookUs > 0 ? 'path' : undefined, screen);
  const line = `${indent}${depth > 0 ? '└─' : ''}${name} @${formatSpan(link.startUs - userspaceUs)}${took}`;
  return wrapText(line, screen.columns, indent.length + 6);
}

function printScan(found: WhatIfScan, deps: CliDeps): void {
  const heading = `${printable(found.target)}, ${since(found)}: ${formatSpan(shown(found.before))}`;
  const screen = screenOf(deps);
  const offsetUs = found.before.targetUs - shown(found.before);
  const table = renderTable(
    [
      { title: 'SAVES', align: 'right', cell: (row) => formatSpan(row.savedUs), style: () => 'good' },
      { title: 'LEAVES', align: 'right', cell: (row) => formatSpan(row.afterUs - offsetUs) },
      { title: 'EDIT', cell: (row) => row.text, narrow: 'wrap' },
      {
        title: '',
        cell: (row) => (row.weakensTarget ? `weakens the target` : ''),
        style: () => 'warning',
        narrow: 'wrap',
      },
    ],
    found.candidates,
    screen,
  );
  const none =
    'No single edit would make it faster: nothing on its path can be dropped, masked or shortened on its own.\n';
  const sentences = (text: string) => wrapLines(text, screen.columns);
  const answer = found.candidates.length > 0 ? table : sentences(none);
  deps.stdout(`${sentences(heading)}\n\n${answer}\n${sentences(`Assumption: ${found.assumption}.`)}\n`);
  warn(found.notes, deps);
}

function since({ clock }: Pick<WhatIf, 'clock'>): string {
  if (clock.userspaceUs !== undefined) return 'counted from the start of userspace';
  return clock.zero === 'kernel' ? 'counted from the start of the kernel' : 'counted from the first event';
}

function shown(instant: WhatIf['before']): number {
  return instant.sinceUserspaceUs ?? instant.targetUs;
}

function warn(notes: readonly string[], deps: CliDeps): void {
  for (const note of notes) printNote('note', note, deps);
}
