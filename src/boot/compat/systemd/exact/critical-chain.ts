// boot/compat/systemd/exact/critical-chain.ts: what does `systemd-analyze critical-chain` print, byte for byte?
import { formatSpan } from '../../../../base/duration.ts';
import { defaultTarget, namedUnit } from '../../../model/default-target.ts';
import type { BootRecord } from '../../../model/record.ts';
import { type ChainNode, latestWithFuzz, walkChain } from '../critical-chain.ts';
import type { Behaviour } from '../versions.ts';
import { acquireTimes, type SystemdBootTimes, type UnitTimes } from './times.ts';
import { formatUnsigned, type ToolOutput, toolOutput } from './tool-output.ts';

export interface CompatChainOptions {
  /** Empty = the default target. */
  targets: string[];
  fuzzUs: number;
  isColoured: boolean;
}

export function compatCriticalChain(record: BootRecord, behaviour: Behaviour, options: CompatChainOptions): ToolOutput {
  const acquired = acquireTimes(record, behaviour);
  if ('stopped' in acquired) return acquired.stopped;
  const { boot, units } = acquired;
  if (units.length === 0) return toolOutput(''); // the real tool exits before it prints the header
  const times = new Map(units.map((unit) => [unit.name, unit]));
  const targets = options.targets.length > 0 ? options.targets : ['default.target'];
  const out: string[] = [HEADER[behaviour.hasNewChainHeader ? 'new' : 'old']];
  const err: string[] = [];
  for (const target of targets) {
    if (UNIT_NAME.test(target)) printChain({ record, behaviour, boot, times, ...options }, target, out);
    else err.push(`Failed to get ID: Unit name ${target} is neither a valid invocation ID nor unit name.\n`);
  }
  return toolOutput(out.join(''), err.join(''));
}

const HEADER = {
  old:
    'The time after the unit is active or started is printed after the "@" character.\n' +
    'The time the unit takes to start is printed after the "+" character.\n\n',
  new:
    'The time when unit became active or started is printed after the "@" character.\n' +
    'The time the unit took to start is printed after the "+" character.\n\n',
};
const UNIT_NAME =
  /^[\w:.@\\-]{1,255}\.(service|socket|target|device|mount|automount|swap|timer|path|slice|scope|snapshot|busname)$/;

interface ChainPrinter extends CompatChainOptions {
  record: BootRecord;
  behaviour: Behaviour;
  boot: SystemdBootTimes;
  times: ReadonlyMap<string, UnitTimes>;
}

function printChain(printer: ChainPrinter, target: string, out: string[]): void {
  const { record, boot, times, fuzzUs } = printer;
  const known = namedUnit(record, target);
  const id = known?.name ?? (target === 'default.target' ? defaultTarget(record) : undefined) ?? target;
  const root = times.get(id);
  if (root) out.push(`${rootText(printer, root)}\n`);

  // The walk marks the name that the user gave, so with an alias the Id can be expanded once more.
  const nodes = walkChain({ name: target, unit: namedUnit(record, id) }, ({ unit }) => {
    const inRange: UnitTimes[] = [];
    for (const name of unit?.after ?? []) {
      const other = times.get(name);
      if (other && other.activatedUs > 0 && other.activatedUs <= boot.finishUs) inRange.push(other);
    }
    return latestWithFuzz(inRange, (other) => other.activatedUs, fuzzUs);
  });
  printTree(nodes, printer, out);
}

function printTree(nodes: ChainNode[], printer: ChainPrinter, out: string[]): void {
  // The real tool keeps one bit per level in 32 bits: from level 33 on, its lines repeat the pattern of the upper levels.
  const branchesAt: number[] = [0];
  for (const node of nodes.slice(1)) {
    const level = node.depth - 1;
    const branches = branchesAt[level]!;
    const below = (branches << 1) | (node.isLast ? 0 : 1);
    branchesAt[node.depth] = below;
    out.push(`${indent(level, branches)}${node.isLast ? '└─' : '├─'}${nodeText(printer, node.name)}\n`);
    if (node.isRepeat) out.push(`${indent(level + 1, below)}└─...\n`);
  }
}

function indent(level: number, branches: number): string {
  let text = '';
  for (let i = level; i > 0; i--) text += branches & (1 << (i - 1)) ? '│ ' : '  ';
  return text;
}

function rootText({ boot, isColoured }: ChainPrinter, times: UnitTimes): string {
  if (times.tookUs > 0) return red(`${times.name} +${formatSpan(times.tookUs)}`, isColoured);
  const sinceUs = times.activatedUs - boot.userspaceUs;
  return sinceUs > 0 ? `${times.name} @${formatSpan(sinceUs)}` : times.name;
}

function nodeText({ boot, behaviour, times: all, isColoured }: ChainPrinter, name: string): string {
  const times = all.get(name)!;
  const activatedSinceUs = times.activatedUs - boot.userspaceUs;
  const isAfterStart = times.activatingUs >= boot.userspaceUs;
  if (behaviour.guardsPreUserspace && !isAfterStart) return name;
  if (times.tookUs > 0) {
    const text = `${name} @${formatUnsigned(times.activatingUs - boot.userspaceUs)} +${formatSpan(times.tookUs)}`;
    return red(text, isColoured);
  }
  const isShown = behaviour.guardsPreUserspace || activatedSinceUs > 0;
  return isShown ? `${name} @${formatUnsigned(activatedSinceUs)}` : name;
}

function red(text: string, isColoured: boolean): string {
  return isColoured ? `\x1b[0;1;31m${text}\x1b[0m` : text;
}
