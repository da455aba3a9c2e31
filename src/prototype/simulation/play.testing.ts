// prototype/simulation/play.testing.ts: plays one case: the actors move the world, then it is quiet, then comes the next day.

import { POOL } from '../testing.ts';
import { type Action, act, type Stage } from './actions.testing.ts';
import { describeCommand, perform, type SimCommand } from './commands.testing.ts';
import type { RunSketch, SimCase } from './draw-case.testing.ts';
import { describeEnd, judgeAnswer, judgeRefusal } from './judge-answer.testing.ts';
import { judgeEnd, judgePool } from './judge-end.testing.ts';
import { judgeModel } from './judge-order.testing.ts';
import { SimProcess } from './process.testing.ts';
import { HOUR, MINUTE, START_MS, type StoryLine, World } from './world.testing.ts';

export interface Playing {
  violations: string[];
  story: StoryLine[];
  /** How many events it took. */
  events: number;
}

/** A run that the world disturbs all the time still ends. */
const LONGEST_MS = 5 * HOUR;
/** In a quiet world. */
const LONGEST_QUIET_MS = 2 * HOUR;
/** Longer than a hold lasts. */
const HOLD_ENDED_MS = 16 * MINUTE;
const MOST_EVENTS = 40_000;

export type Perform = typeof perform;

export async function play(given: SimCase, performs: Perform = perform): Promise<Playing> {
  const player = new Player(given, performs);
  await player.playAll();
  const { violations, story } = player.world;
  return { violations, story, events: player.events };
}

class Player {
  readonly world: World;
  events = 0;
  private readonly given: SimCase;
  private readonly performs: Perform;
  private readonly nodes: readonly string[];
  private readonly commands = new Map<string, SimCommand>();
  private readonly judged = new Set<SimProcess>();
  private readonly orders = new Map<SimProcess, SimCommand>();
  private pending: Action[] = [];
  private runs = 0;

  constructor(given: SimCase, performs: Perform) {
    this.given = given;
    this.performs = performs;
    this.world = new World(given.seed, given.setup);
    this.nodes = this.world.pool.instances.map(({ computerName }) => computerName);
  }

  async playAll(): Promise<void> {
    await this.disturbed();
    if (this.isOver()) return;
    await this.quiet();
    if (this.isOver() || this.isLikeNew()) return;
    await this.nextDay();
  }

  private isOver(): boolean {
    return this.world.violations.length > 0;
  }

  /** Nothing of this day can concern the next one. Most cases end so; one in eight is played on nevertheless. */
  private isLikeNew(): boolean {
    const { provider, cluster, left, pool, versions, unmarked } = this.world;
    const isPlain = provider.state.snapshots.size === 0 && cluster.secrets.size > 0 && cluster.leases.size === 0;
    const isOffered = pool.model.image.kind === 'version' && this.world.isReady(pool.model.image.id);
    const hasFailed = [...versions.values()].some(({ failsMs }) => failsMs < Number.POSITIVE_INFINITY);
    return isPlain && isOffered && !hasFailed && left.size === 0 && unmarked.size === 0 && this.given.seed % 8 !== 0;
  }

  private async disturbed(): Promise<void> {
    const { world, given } = this;
    this.pending = [...given.actions];
    for (const action of given.actions) if ('atMs' in action.when) this.actLater(action, action.when.atMs);
    this.startCommand('run A', this.commandOf(given.command));
    await this.until(
      () => world.processes.every(({ isActive }) => !isActive) && !this.isAwaited(),
      world.nowMs + 12 * HOUR,
      LONGEST_MS,
    );
  }

  /** The same commands again, as often as a person would try. */
  private async quiet(): Promise<void> {
    const { world } = this;
    world.calm();
    await this.pass(HOLD_ENDED_MS);
    world.tell('everybody', 'the world is quiet, and the same commands run again');
    if (this.given.seed % 4 === 0) await this.recoverFirst();
    for (const [name, command] of this.commands) {
      if (this.isOver()) return;
      if (command.verb === 'run') await this.insist(name, command);
    }
    await this.pass(5 * MINUTE); // a node that was just started registers
    if (!this.isOver()) judgeEnd(world);
  }

  /** A person who sees a donor out of service recovers it before anything else. */
  private async recoverFirst(): Promise<void> {
    for (const instance of this.world.pool.instances) {
      if (this.world.isOut(instance)) await this.insist('recover', { verb: 'recover', node: instance.computerName });
    }
  }

  private async nextDay(): Promise<void> {
    const { world } = this;
    await this.pass(START_MS + this.given.setup.startsMs + 26 * HOUR - world.nowMs);
    if (this.isOver()) return;
    world.tell('everybody', 'the next day');
    await this.insist('the next run', { verb: 'run', named: { pool: POOL }, isReleased: false, imageHistory: 3 });
    if (this.isOver()) return;
    judgeEnd(world);
    judgePool(world);
  }

  /** Until it is finished, or refused with a reason that is true. */
  private async insist(name: string, command: SimCommand): Promise<void> {
    const { world } = this;
    for (let attempt = 1; attempt <= 3 && !this.isOver(); attempt++) {
      const process = this.startCommand(`${name} again`, command);
      await this.until(() => !process.isActive, world.nowMs + LONGEST_QUIET_MS, LONGEST_QUIET_MS);
      if (this.isOver() || !process.end || 'value' in process.end) return;
      if (judgeRefusal(world, process.end.error, command, attempt === 3)) return;
      await this.pass(HOLD_ENDED_MS);
    }
  }

  private commandOf({ node, isReleased, imageHistory }: RunSketch): SimCommand {
    const named = node === 'any' ? { pool: POOL } : { node: this.nodes[node]! };
    return { verb: 'run', named, isReleased, imageHistory };
  }

  private startCommand(name: string, sketched: SimCommand): SimProcess {
    const { world } = this;
    const command = this.withNames(sketched);
    const process = new SimProcess(world, `${name.replaceAll(' ', '-').toLowerCase()}-${++this.runs}`, name);
    world.processNames.set(process.id, name);
    world.processes.push(process);
    this.orders.set(process, command);
    if (!name.endsWith('again')) this.commands.set(name, command);
    world.tell(name, `\`headstart prototype ${describeCommand(command)}\``);
    process.onStep = (step) => this.reached(name, step);
    process.start(() => this.performs(command, process));
    this.reached(name, 'start');
    return process;
  }

  /** A case names a node by its number. */
  private withNames(command: SimCommand): SimCommand {
    const name = (text: string) => this.nodes[Number(text) % this.nodes.length] ?? text;
    if (command.verb === 'recover') return { ...command, node: name(command.node) };
    if (command.verb === 'run' && 'node' in command.named) {
      return { ...command, named: { node: name(command.named.node) } };
    }
    return command;
  }

  private reached(process: string, step: string): void {
    for (const action of [...this.pending]) {
      const { when } = action;
      if ('atMs' in when || when.process !== process || when.step !== step) continue;
      this.actLater(action, when.plusMs);
    }
  }

  private actLater(action: Action, ms: number): void {
    const { world, nodes } = this;
    if ('step' in action.when) this.pending = this.pending.filter((one) => one !== action);
    const stage: Stage = { world, nodes, start: (name, command) => void this.startCommand(name, command) };
    world.scheduler.after(ms, () => {
      this.pending = this.pending.filter((one) => one !== action);
      this.inFlight.delete(action);
      act(stage, action.deed);
      judgeModel(world);
    });
    this.inFlight.add(action);
  }

  private readonly inFlight = new Set<Action>();

  private isAwaited(): boolean {
    return this.inFlight.size > 0;
  }

  private async pass(ms: number): Promise<void> {
    const endMs = this.world.nowMs + ms;
    this.world.scheduler.after(ms, () => undefined);
    await this.until(() => this.world.nowMs >= endMs, endMs, Number.POSITIVE_INFINITY);
  }

  /** Plays events until the world is as wanted; whatever does not end in time is a violation. */
  private async until(isReached: () => boolean, endMs: number, longestMs: number): Promise<void> {
    const { world } = this;
    const { scheduler } = world;
    await scheduler.settle();
    this.judgeEnded();
    while (!this.isOver() && !isReached()) {
      if (scheduler.nextMs === undefined || scheduler.nextMs > endMs || this.events > MOST_EVENTS) {
        for (const { name, isActive } of world.processes) if (isActive) world.violated(`${name} does not end`);
        return;
      }
      this.events++;
      await scheduler.step();
      this.judgeEnded();
      if (this.events % 16 !== 0) continue;
      for (const process of world.processes) {
        if (process.isActive && world.nowMs - process.startedMs - process.sleptMs > longestMs) {
          world.violated(`${process.name} has not ended after ${longestMs / HOUR} hours`);
        }
      }
    }
  }

  private judgeEnded(): void {
    if (!this.world.hasEnded) return;
    this.world.hasEnded = false;
    for (const process of this.world.processes) {
      if (process.isActive || this.judged.has(process)) continue;
      this.judged.add(process);
      if (process.end) {
        this.world.tell(process.name, describeEnd(process.end));
        judgeAnswer(this.world, process, process.end, this.orders.get(process)!);
      }
      this.reached(process.name, 'end');
    }
  }
}
