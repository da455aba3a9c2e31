// prototype/simulation/judge-answer.testing.ts: is the answer of a process an answer, and is it true?

import { errorFacts, TransientError, UserError } from '../../base/errors.ts';
import type { FakeInstance } from '../../vms/fake/fake-provider.ts';
import { DONOR_TAG, PRIOR_ANNOTATION } from '../names.ts';
import { FAILURE } from './actions.testing.ts';
import type { SimCommand } from './commands.testing.ts';
import { isFitDonor } from './judge-end.testing.ts';
import { judgeText } from './judge-order.testing.ts';
import type { ProcessEnd, SimProcess } from './process.testing.ts';
import { HOUR, MINUTE, type World } from './world.testing.ts';

export function describeEnd(end: ProcessEnd): string {
  if ('value' in end) return 'ends well';
  const { error } = end;
  return `ends: ${error instanceof Error ? error.message : String(error)}`;
}

/** Of every process that ended by itself, when it ends. */
export function judgeAnswer(world: World, process: SimProcess, end: ProcessEnd, command: SimCommand): void {
  const isMarked = marksOf(world, process.id);
  if ('value' in end) {
    if (isMarked && !process.hasLostHold) {
      world.violated(`${process.name} ended well and left ${isMarked} out of service`);
    }
    const recovered = command.verb === 'recover' ? world.instanceOf(command.node) : undefined;
    if (recovered && world.isOut(recovered) && !process.hasLostHold) {
      world.violated(`${process.name} ended well, but ${recovered.computerName} is still out of service`);
    }
    return;
  }
  const { error } = end;
  if (!(error instanceof UserError) && !(error instanceof TransientError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    world.violated(`${process.name} failed with a bug: ${text}`);
    return;
  }
  const { code, message, kept, next } = errorFacts(error);
  judgeText(world, `the error of ${process.name}`, `${message} ${kept ?? ''} ${next ?? ''}`);
  if (isMarked && !process.hasLostHold) {
    world.violated(`${process.name} ended and left ${isMarked} out of service (${code}: ${message})`);
  }
  judgeReassurance(world, process, kept ?? '', command);
  if (code === 'prototype/stuck' && world.nowMs - process.startedMs - process.sleptMs > 5 * HOUR) {
    world.violated(`${process.name} gave up after hours: ${message}`);
  }
  if (code === 'prototype/stuck' && /image version/.test(message) && !message.includes(FAILURE)) {
    world.violated(`${process.name} does not say why the version failed: ${message}`);
  }
}

/** What an error says was kept has to be so. */
function judgeReassurance(world: World, process: SimProcess, kept: string, command: SimCommand): void {
  const donor = world.instanceOf(nodeOf(command));
  if (/donor is in service/.test(kept) && donor && (world.isOut(donor) || isOffByUs(world, donor))) {
    world.violated(`${process.name} says that the donor is in service, but ${donor.computerName} is not`);
  }
  if (/^Nothing was (?:changed|touched)/.test(kept) && process.made.size > 0) {
    world.violated(`${process.name} says that nothing was changed, but it made or changed ${[...process.made][0]}`);
  }
}

/** Not by an operator or the platform. */
function isOffByUs(world: World, { vmId }: FakeInstance): boolean {
  const by = world.diskOf(vmId).off?.by;
  return by !== undefined && by !== 'operator' && by !== 'platform';
}

/** The node that this process left marked. */
function marksOf(world: World, id: string): string | undefined {
  for (const { computerName, tags } of world.pool.instances) {
    if (world.unmarked.has(computerName)) continue;
    const note = world.cluster.nodes.get(computerName)?.annotations[PRIOR_ANNOTATION] ?? '';
    if (tags[DONOR_TAG]?.startsWith(`${id} `) || note.includes(`"run":"${id}"`)) return computerName;
  }
  return undefined;
}

/** In a quiet world: whether the refusal is final. A reason that is not true is a violation. */
export function judgeRefusal(world: World, error: unknown, command: SimCommand, isLast: boolean): boolean {
  if (!(error instanceof UserError)) {
    if (isLast) world.violated(`in a quiet world, ${command.verb} still fails: ${String(error)}`);
    return false;
  }
  const isTrue = TRUTHS[error.code]?.(world, error.message, command);
  if (isTrue === true) return true;
  const named =
    isTrue === false ? 'is refused with a reason that is not true' : 'fails with a reason that no rule checks';
  if (isLast || isTrue === false)
    world.violated(`in a quiet world, ${command.verb} ${named}: ${error.code}: ${error.message}`);
  return false;
}

type Truth = (world: World, message: string, command: SimCommand) => boolean;

/** By code: whether the reason is true. */
const TRUTHS: Readonly<Record<string, Truth>> = {
  'prototype/no-such-node': (world, _, command) => !world.cluster.nodes.has(nodeOf(command)),
  'prototype/no-node': (world, _, command) => !world.cluster.nodes.has(nodeOf(command)),
  'prototype/no-donor': (world, _, command) => !isWhole(world, nodeOf(command)),
  'vms/refused': (world, _, command) => !isWhole(world, nodeOf(command)),
  'prototype/not-ready': (world, _, command) => world.cluster.nodes.get(nodeOf(command))?.isReady !== true,
  'prototype/one-a-day': (world, message) => {
    const made = [...world.provider.state.versions.values()].find(({ name }) => message.includes(name));
    return made !== undefined && made.createdMs > world.nowMs - 24 * HOUR;
  },
  'prototype/other-snapshot': (world) => world.provider.state.snapshots.size > 0,
  'prototype/no-candidate': (world) => !world.pool.instances.some((instance) => isFitDonor(world, instance)),
  'prototype/unfit-donor': (world, _, command) => {
    const instance = world.instanceOf(nodeOf(command));
    return instance === undefined || !isFitDonor(world, instance);
  },
  'prototype/unproven-donor': (world, _, command) => {
    const readySinceMs = world.cluster.nodes.get(nodeOf(command))?.readySinceMs;
    // The run looked at it some seconds ago.
    return readySinceMs !== undefined && readySinceMs > world.nowMs - HOUR - MINUTE;
  },
  'prototype/donor-not-ready': (world, _, command) => world.cluster.nodes.get(nodeOf(command))?.isReady !== true,
  'prototype/unproven-version': (world, message) => {
    const versions = [...world.provider.state.versions.values()];
    return versions.some(({ name, tags }) => message.includes(name) && tags['headstart-sealed'] === undefined);
  },
  'prototype/model-changed': (world) => world.recipes > 0,
  'prototype/bad-version': (world, message) => [...world.judgedBad].some((name) => message.includes(name)),
};

/** The node and its instance are there, and are one machine. */
function isWhole(world: World, name: string): boolean {
  const instance = world.instanceOf(name);
  return instance !== undefined && world.cluster.nodes.get(name)?.systemUuid === instance.vmId;
}

function nodeOf(command: SimCommand): string {
  if (command.verb === 'recover') return command.node;
  return command.verb === 'run' && 'node' in command.named ? command.named.node : '';
}
