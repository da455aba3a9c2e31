// cli/boot/systemd/critical-chain.ts: `headstart boot systemd critical-chain [UNIT…]`: what a unit waited for, link by link.
import type { Command } from 'commander';
import { parseSpan } from '../../../base/duration.ts';
import { UserError } from '../../../base/errors.ts';
import { didYouMean, nearestNames } from '../../../base/nearest-names.ts';
import { type ChainNode, criticalChain } from '../../../boot/compat/systemd/critical-chain.ts';
import { compatCriticalChain } from '../../../boot/compat/systemd/exact/critical-chain.ts';
import { CRITICAL_CHAIN_HEADER, renderCriticalChain } from '../../../boot/compat/systemd/render-chain.ts';
import { startState, unitLabels } from '../../../boot/compat/systemd/unit-state.ts';
import { defaultTarget, namedUnit } from '../../../boot/model/default-target.ts';
import { knownUserspaceUs } from '../../../boot/model/order-graph.ts';
import { type BootRecord, startTookUs } from '../../../boot/model/record.ts';
import { waitReason } from '../../../boot/model/waits.ts';
import { printJson } from '../../output/json.ts';
import { paint } from '../../output/paint.ts';
import { sameCommand } from '../../output/same-command.ts';
import { screenOf } from '../../output/screen.ts';
import { printable } from '../../output/table.ts';
import type { CliDeps, Verb } from '../../verb.ts';
import { fileHint, splitInputs } from '../input-words.ts';
import { isKernelBoot, readBoot } from '../read-boot.ts';
import { compatOf, isColoured, jsonFacts, printCompat, type SystemdOptions, withSystemdOptions } from './options.ts';

interface ChainOptions extends SystemdOptions {
  fuzz?: string;
}

export const verb: Verb = {
  examples: [
    'boot systemd critical-chain',
    'boot systemd critical-chain cloud-final.service boot.tar.gz',
    'boot systemd critical-chain --fuzz=1s --compat=252 boot.tar.gz',
  ],
  configure: (command: Command) =>
    withSystemdOptions(
      command.argument(
        '[UNIT...]',
        'the unit at the end of the chain; default: the default target. An existing file is an input, as with -i',
      ),
    ).option('--fuzz <SPAN>', 'also show units that were ready at most this long before the latest'),
  async run(given, typed: ChainOptions, deps) {
    const { behaviour, args } = compatOf(typed, given);
    const { names: targets, options } = splitInputs(args, typed);
    const fuzzUs = parseFuzz(options.fuzz);
    const record = await readBoot(options, deps, isKernelBoot);
    if (behaviour) {
      return printCompat(
        compatCriticalChain(record, behaviour, { targets, fuzzUs, isColoured: isColoured(deps) }),
        deps,
      );
    }
    const chains = (targets.length > 0 ? targets : [mainTarget(record, deps.typed)]).map((target) => {
      if (!namedUnit(record, target)) throw unknownUnit(record, target, deps.typed);
      return { target, nodes: criticalChain(record, { target, fuzzUs }) };
    });
    for (const { nodes } of chains) warnIfUnordered(nodes, deps);
    if (knownUserspaceUs(record) === undefined) {
      deps.stderr(
        'note: the inputs do not say when userspace started: times count from the start of the kernel or of the log\n',
      );
    }
    if (options.json) {
      const body = chains.map(({ target, nodes }) => ({ target, nodes: nodes.map((node) => jsonNode(node, record)) }));
      return printJson(deps, 'SystemdCriticalChain', {
        ...jsonFacts(record),
        userspaceUs: record.manager?.userspaceUs ?? 0,
        chains: body,
      });
    }
    const screen = screenOf(deps);
    const painted = (text: string, isTimed: boolean) => paint(printable(text), isTimed ? 'path' : undefined, screen);
    deps.stdout(
      `${CRITICAL_CHAIN_HEADER}${chains.map(({ nodes }) => renderCriticalChain(nodes, record, painted)).join('')}`,
    );
  },
};

function parseFuzz(text: string | undefined): number {
  const us = text === undefined ? 0 : text === 'infinity' ? Number.MAX_SAFE_INTEGER : parseSpan(text);
  if (us !== undefined) return us;
  throw new UserError(`--fuzz=${text} is not a time span`, {
    code: 'boot/bad-span',
    next: 'write it as systemd does: 1s, 500ms, 1min 30s; a bare number is seconds',
  });
}

/** For calls without a command line, such as tests. */
const TYPED = ['boot', 'systemd', 'critical-chain'];

/** Pasted output of systemd-analyze starts with the unit that its author named; otherwise uses the boot's default target. */
function mainTarget(record: BootRecord, typed: readonly string[] = TYPED): string {
  const isPasted = record.sources.every(({ kind }) => kind === 'analyze-critical-chain' || kind === 'analyze-time');
  const target =
    (isPasted ? record.units.find((unit) => unit.after.length > 0)?.name : undefined) ?? defaultTarget(record);
  if (target !== undefined) return target;
  throw new UserError('the inputs do not name the default target of this boot', {
    code: 'boot/no-default-target',
    next: `name a unit, as in \`${sameCommand(typed, { add: ['multi-user.target'] })}\`, or add \`systemctl show\` of all units with -i`,
  });
}

/** A chain of one unit is an answer only if the input has orderings. */
function warnIfUnordered(nodes: readonly ChainNode[], deps: CliDeps): void {
  const unit = nodes.length === 1 ? nodes[0]!.unit : undefined;
  if (!unit || unit.after.length > 0) return;
  deps.stderr(
    `warning: the inputs do not say what ${printable(unit.name)} was ordered after; add \`systemctl show '*'\` with -i\n`,
  );
}

function unknownUnit(record: BootRecord, target: string, typed: readonly string[] = TYPED): UserError {
  const names = record.units.map((unit) => unit.name);
  const [nearest] = nearestNames(target, names);
  return new UserError(
    `${target} is not among the ${names.length} units of the inputs${didYouMean(target, names)}${fileHint(target)}`,
    {
      code: 'boot/unknown-unit',
      next:
        nearest === undefined
          ? 'check the name, or add `systemctl show` of all units with -i'
          : sameCommand(typed, { replace: { [target]: nearest } }),
    },
  );
}

function jsonNode({ name, unit, depth, parent, isRepeat }: ChainNode, record: BootRecord): object {
  const wait = unit && waitReason(unit, record);
  return {
    unit: name,
    depth,
    parent,
    isRepeat,
    ...(unit && {
      activatingUs: unit.activatingUs,
      activatedUs: unit.activatedUs,
      tookUs: unit.activatingUs > 0 ? startTookUs(unit) : 0,
      state: startState(unit),
      labels: unitLabels(unit, record),
    }),
    ...(wait !== undefined && { wait }),
  };
}
