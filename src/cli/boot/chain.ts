// cli/boot/chain.ts: `headstart boot chain [TARGET]`: which chain of events delayed the node? All sources.
import { UserError } from '../../base/errors.ts';
import { didYouMean, nearestNames } from '../../base/nearest-names.ts';
import { hasOrdering } from '../../boot/model/known-order.ts';
import { milestonesOf } from '../../boot/model/milestones.ts';
import { type BootRecord, hasStarted } from '../../boot/model/record.ts';
import { chain, chainTarget } from '../../boot/questions/chain.ts';
import { printJson } from '../output/json.ts';
import { sameCommand } from '../output/same-command.ts';
import { screenOf } from '../output/screen.ts';
import type { Verb } from '../verb.ts';
import { fileHint, splitInputs } from './input-words.ts';
import { type BootOptions, printNote, readBoot, withBootOptions } from './read-boot.ts';
import { renderBootChain } from './render-chain.ts';

export const verb: Verb = {
  examples: ['boot chain', 'boot chain boot.tar.gz node.yaml', 'boot chain cloud-final.service boot.tar.gz'],
  configure: (command) =>
    withBootOptions(
      command
        .argument('[TARGET]', 'a unit or milestone; default: node-ready, else the kubelet, else the end of startup')
        .argument('[FILE...]', 'the same as -i FILE'),
    ),
  async run(words, given: BootOptions, deps) {
    const { names, options } = splitInputs(words, given);
    const [target, second] = names;
    if (second !== undefined) throw twoTargets(target!, second);
    const record = await readBoot(options, deps);
    const links = chain(record, target ?? chainTarget(record));
    if (links.length === 0) throw unknownTarget(record, target, deps.typed);
    if (!hasOrdering(record)) printNote('warning', NO_ORDERING, deps);
    if (options.json)
      return printJson(deps, 'BootChain', {
        bootId: record.bootId,
        target: links[0]!.name,
        clock: record.clock,
        links,
      });
    deps.stdout(renderBootChain(links, screenOf(deps)));
  },
};

function twoTargets(target: string, second: string): UserError {
  return new UserError(`expected one target, got ${target} and ${second}${fileHint(second)}`, {
    code: 'cli/usage',
    next: 'run it once for each target',
  });
}

const NO_ORDERING =
  'the input has no ordering of units (After=), so the chain shows only what ended last; add `systemctl show` of all units with -i, or read a bundle of `headstart boot collect`';

function unknownTarget(record: BootRecord, target: string | undefined, typed: readonly string[] = []): UserError {
  const known = [
    ...milestonesOf(record).map(({ name }) => name),
    ...record.units.filter(hasStarted).map(({ name }) => name),
  ];
  const better = (target ? nearestNames(target, known)[0] : undefined) ?? chainTarget(record);
  return new UserError(whyNone(record, target, known), {
    code: 'boot/chain-target',
    next: better === undefined ? 'add `systemctl show` of all units with -i' : commandFor(better, target, typed),
  });
}

function whyNone(record: BootRecord, target: string | undefined, known: readonly string[]): string {
  if (target === undefined) return 'the input has no target, unit or milestone to follow';
  if (record.units.some(({ name }) => name === target)) return `${target} did not start in this boot`;
  return `this boot has no unit and no milestone ${target || "''"}${didYouMean(target, known)}${fileHint(target)}`;
}

function commandFor(better: string, target: string | undefined, typed: readonly string[]): string {
  if (typed.length === 0) return `headstart boot chain ${better}`;
  return sameCommand(typed, target === undefined ? { add: [better] } : { replace: { [target]: better } });
}
