// cli/boot/what-if.ts: `headstart boot what-if`: how much time would these edits save, or which edit would save most?
import type { Command } from 'commander';
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { parseEdit, type WhatIfEdit } from '../../boot/questions/edits.ts';
import { type WhatIf, type WhatIfLink, whatIf } from '../../boot/questions/what-if.ts';
import { type WhatIfCandidate, type WhatIfScan, whatIfScan } from '../../boot/questions/what-if-scan.ts';
import { displayWidth, wrapLines, wrapText } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { fileHint, valueOrInput } from './input-words.ts';
import {
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
  without?: string[];
  add?: string[];
  target?: string;
  scan?: string | true;
}

const SCAN_LIMIT = 10;

export const verb: Verb = {
  examples: [
    "boot what-if --drop-after 'kubelet.service cloud-final.service' --target node-ready",
    'boot what-if --scan boot.tar.gz',
    'boot what-if --without config-scripts-user boot.tar.gz',
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
        '--without <NAME>',
        'leave out a unit, a cloud-init stage or module, an extension, or all of: cloud-init, extensions, image-pulls',
        appendValue,
      )
      .option(
        '--add <UNIT After=… Took=…>',
        'add a unit that is not in the recording, to both sides of the comparison',
        appendValue,
      )
      .option(
        '--target <NAME>',
        'the milestone (node-ready, kubelet-started, startup-finished …) or unit whose time is estimated; default: the end of the boot, as in boot chain',
      )
      .option(
        '--scan [N]',
        `list the N edits that save most, how to make them, and their risk (default: ${SCAN_LIMIT})`,
        valueOrInput(command),
      );
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
    ['without', options.without],
  ];
  return given.flatMap(([kind, texts]) => (texts ?? []).map((text) => parseEdit(kind, text)));
}

function scanLimit(scan: string | true | undefined): number | undefined {
  if (scan === undefined) return undefined;
  if (scan === true) return SCAN_LIMIT;
  if (/^[1-9]\d{0,5}$/.test(scan)) return Number(scan);
  throw new UserError(`--scan ${scan}: not a number of edits to list${/^\d+$/.test(scan) ? '' : fileHint(scan)}`, {
    code: 'boot/bad-scan',
    next: 'write --scan or --scan 20, and name an existing file',
  });
}

function printAnswer(answer: WhatIf, deps: CliDeps): void {
  const { before, after, savedUs, target } = answer;
  const share = before.targetUs > 0 ? ` (${((100 * Math.abs(savedUs)) / before.targetUs).toFixed(1)}%)` : '';
  const screen = screenOf(deps);
  const longest = answer.chain.reduce((most, { unit }) => Math.max(most, displayWidth(printable(unit))), 0);
  const page = { deepest: indentLimit(longest, screen), screen };
  const verdict =
    savedUs < 0
      ? `lost    ${formatSpan(-savedUs)}${share}`
      : `saved   ${formatSpan(savedUs)}${savedUs > 0 ? share : ''}`;
  const lines = [
    `${printable(target)}, ${since(answer)}`,
    `before  ${formatSpan(before.targetUs)}`,
    `after   ${formatSpan(after.targetUs)}`,
    paint(verdict, savedUs < 0 ? 'bad' : savedUs > 0 ? 'good' : undefined, screen),
    '',
    answer.edits.length > 0 ? 'Edits:' : 'No edits: this is the boot as recorded. Try --scan, or see --help.',
    ...answer.edits.flatMap((edit) => wrapText(`  ${printable(edit.text)}`, screen.columns, 4)),
    '',
    'The new chain (@ when a link began, + how long it took):',
    ...answer.chain.flatMap((link, depth) => describeLink(link, depth, page)),
    '',
    `Assumption: ${answer.assumption}.`,
  ];
  deps.stdout(`${wrapLines(lines.join('\n'), screen.columns)}\n`);
  warn(answer.notes, deps);
}

interface ChainPage {
  deepest: number;
  screen: Screen;
}

function describeLink(link: WhatIfLink, depth: number, { deepest, screen }: ChainPage): string[] {
  const took = link.tookUs > 0 ? ` +${formatSpan(link.tookUs)}` : '';
  // A pasted or generated chain may have thousands of links: deeper indentation would push it off the screen.
  const indent = ' '.repeat(Math.min(2 * depth, 80, deepest));
  const name = paint(printable(link.unit), link.tookUs > 0 ? 'path' : undefined, screen);
  const line = `${indent}${depth > 0 ? '└─' : ''}${name} @${formatSpan(link.startUs)}${took}`;
  return wrapText(line, screen.columns, indent.length + 6);
}

function printScan(found: WhatIfScan, deps: CliDeps): void {
  const screen = screenOf(deps);
  const sentences = (text: string) => wrapLines(text, screen.columns);
  const lines = [
    sentences(`${printable(found.target)}, ${since(found)}: ${formatSpan(found.before.targetUs)}`),
    '',
    found.candidates.length > 0
      ? `${scanTable(found, screen)}\n${found.candidates.flatMap((row, i) => howTo(row, i, screen)).join('\n')}\n`
      : sentences(
          `No edit that leaves the node working is known to make it at least ${formatSpan(found.smallestUs)} faster.\n`,
        ),
    ...together(found, screen),
    sentences(`Assumption: ${found.assumption}.`),
  ];
  deps.stdout(`${lines.join('\n')}\n`);
  warn(found.notes, deps);
}

function scanTable({ candidates }: WhatIfScan, screen: Screen): string {
  return renderTable(
    [
      { title: '', align: 'right', cell: (row) => String(candidates.indexOf(row) + 1) },
      { title: 'SAVES', align: 'right', cell: (row) => formatSpan(row.savedUs), style: () => 'good' },
      { title: 'LEAVES', align: 'right', cell: (row) => formatSpan(row.afterUs) },
      { title: 'SURE', cell: (row) => row.confidence },
      { title: 'EDIT', cell: (row) => row.text, narrow: 'wrap' },
      { title: 'RISK', cell: (row) => row.risk, narrow: 'wrap' },
    ],
    candidates,
    screen,
  );
}

function howTo({ command, confidence, because }: WhatIfCandidate, i: number, { columns }: Screen): string[] {
  return [
    ...wrapText(`${i + 1}. ${printable(command)}`, columns, 5),
    ...wrapText(`   ${confidence}: ${printable(because)}`, columns, 5),
  ];
}

function together({ combined }: WhatIfScan, { columns }: Screen): string[] {
  if (!combined) return [];
  const { savedUs, afterUs, texts } = combined;
  const text = `Together, ${printable(texts.join(' '))} save ${formatSpan(savedUs)} and leave ${formatSpan(afterUs)}.`;
  return [...wrapText(text, columns, 2), ''];
}

/** The same clock as in `boot timeline` and `boot chain`. */
function since({ clock }: Pick<WhatIf, 'clock'>): string {
  if (clock.zero === 'kernel') return 'counted from the start of the kernel';
  if (clock.zero === 'claim') return 'counted from the claim';
  return clock.zero === 'userspace' ? 'counted from the start of userspace' : 'counted from the first event';
}

function warn(notes: readonly string[], deps: CliDeps): void {
  for (const note of notes) printNote('note', note, deps);
}
