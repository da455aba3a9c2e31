// prototype/simulation/draw-case.testing.ts: which case does a seed stand for: the pool at the start, the command, and who does what when?

import type { NamedDonor } from '../donor/find-donor.ts';
import { POOL } from '../testing.ts';
import type { Action, Deed, When } from './actions.testing.ts';
import { Chance } from './chance.testing.ts';
import type { SimCommand } from './commands.testing.ts';
import { HOUR, MINUTE, type WorldSetup } from './world.testing.ts';

export interface SimCase {
  seed: number;
  setup: WorldSetup;
  /** `run A`, at the start. Its donor is a number of a node, or chosen. */
  command: RunSketch;
  actions: Action[];
}

export interface RunSketch {
  node: number | 'any';
  isReleased: boolean;
  imageHistory: number;
}

const STEPS = [
  ...['start', 'save-recipe', 'record-prior', 'guard-node', 'protect-instance', 'cordon', 'drain', 'seal-donor'],
  ...['stop-donor', 'take-snapshot', 'await-snapshot', 'start-donor', 'await-ready', 'restore-protection'],
  ...['restore-node', 'begin-version', 'await-version', 'switch-model', 'include-version', 'delete-snapshot', 'end'],
];

const ORDERS = [
  ...[
    'any order',
    'any read',
    'stop',
    'start',
    'deallocate',
    'createSnapshot',
    'beginVersion',
    'changeModel',
    'tagInstance',
  ],
  ...['setProtection', 'deleteSnapshot', 'setExcludedFromLatest'],
];

export function drawCase(seed: number): SimCase {
  const chance = new Chance(seed);
  const nodes = chance.int(2, 4);
  const setup: WorldSetup = {
    nodes,
    oldVersions: chance.pick([0, 0, 1, 2, 4]),
    cordoned: chance.bool(0.15) ? [chance.int(0, nodes - 1)] : [],
    copyingMs: chance.bool(0.15) ? chance.int(1, 20) * MINUTE : 0,
    hasZoneRedundancy: chance.bool(0.8),
    startsMs: chance.bool(0.1) ? 20 * HOUR + chance.int(40, 59) * MINUTE : 0,
  };
  const donor = chance.bool(0.8) ? chance.int(0, nodes - 1) : 'any';
  const command = { node: donor, isReleased: chance.bool(0.2), imageHistory: chance.pick([1, 2, 3, 3]) } as const;
  const draw = new ActionDraw(chance, nodes, donor);
  const actions: Action[] = [];
  for (let left = chance.pick([1, 2, 2, 3, 3, 4, 5, 8]); left > 0; left--) actions.push(...draw.next());
  return { seed, setup, command, actions };
}

class ActionDraw {
  private readonly chance: Chance;
  private readonly nodes: number;
  private readonly donor: number | 'any';
  private commands = 0;
  private readonly processes = ['run A'];

  constructor(chance: Chance, nodes: number, donor: number | 'any') {
    this.chance = chance;
    this.nodes = nodes;
    this.donor = donor;
  }

  next(): Action[] {
    const { chance } = this;
    const process = chance.pick(this.processes);
    const when = this.when(process);
    switch (chance.int(0, 11)) {
      case 0:
      case 1:
        return [{ when, deed: this.ofPlatform() }];
      case 2:
      case 10:
        return this.outage(process, when);
      case 3:
      case 11:
        return this.stall(process, when);
      case 4:
        return this.death(process, when);
      case 5:
        return [{ when, deed: chance.bool(0.8) ? this.scaleIn() : { kind: 'scale-out' } }];
      case 6:
      case 7:
        return [{ when, deed: this.ofOperator() }];
      case 8:
        return this.rollback(process, when);
      default:
        return [{ when, deed: this.another() }];
    }
  }

  private when(process: string): When {
    const { chance } = this;
    if (chance.bool(0.2)) return { atMs: chance.int(0, 40) * 30_000 };
    const plusMs = chance.pick([
      0,
      chance.int(0, 5_000),
      chance.int(0, 60_000),
      chance.int(0, 10 * MINUTE),
      chance.int(14, 25) * MINUTE,
    ]);
    return { process, step: chance.pick(STEPS), plusMs };
  }

  /** Mostly the donor. */
  private node(): number {
    const { chance, donor, nodes } = this;
    return donor !== 'any' && chance.bool(0.8) ? donor : chance.int(0, nodes - 1);
  }

  private scaleIn(): Deed {
    return { kind: 'scale-in', node: this.node() };
  }

  private ofPlatform(): Deed {
    const { chance } = this;
    const node = this.node();
    switch (chance.int(0, 6)) {
      case 0:
      case 1: {
        const power = chance.pick(['unknown', 'starting', 'stopping'] as const);
        return { kind: 'power-reads', node, power, forMs: chance.pick([2_000, 30_000, 5 * MINUTE]) };
      }
      case 2:
        return { kind: 'maintenance', node, forMs: chance.int(1, 20) * MINUTE };
      case 3:
        return { kind: 'evict', node };
      case 4:
        return { kind: 'repair', node };
      case 5:
        return { kind: 'slow-copy', takesMs: chance.int(1, 30) * MINUTE };
      default:
        return { kind: 'slow-version', takesMs: chance.int(5, 90) * MINUTE };
    }
  }

  private outage(process: string, when: When): Action[] {
    const { chance } = this;
    const forMs = chance.pick([10_000, MINUTE, 5 * MINUTE, 20 * MINUTE]);
    const deeds: Deed[] = [
      { kind: 'slow', forMs: 30 * MINUTE, takesMs: chance.int(2, 12) * MINUTE },
      { kind: 'fail', forMs: Math.min(forMs, 2 * MINUTE), isApplied: chance.bool(0.5) },
      { kind: 'forbid', forMs, scope: chance.bool(0.5) ? 'all' : 'orders' },
      { kind: 'no-capacity', forMs },
      { kind: 'cluster-away', forMs: Math.min(forMs, 5 * MINUTE) },
      { kind: 'version-fails', times: chance.pick([1, 2, 99]), afterMs: chance.int(1, 40) * MINUTE },
      { kind: 'lose-answer', process, order: chance.pick(ORDERS) },
      { kind: 'budget', forMs },
    ];
    return [{ when, deed: chance.pick(deeds) }];
  }

  /** A process that is held up, and often another that takes over from it. */
  private stall(process: string, when: When): Action[] {
    const { chance } = this;
    const forMs = chance.pick([30_000, 5 * MINUTE, 16 * MINUTE, 20 * MINUTE, 40 * MINUTE]);
    const deed: Deed = chance.pick<Deed>([
      { kind: 'throttle', process, order: chance.pick(ORDERS), waitMs: chance.pick([90_000, 400_000, 1_200_000]) },
      { kind: 'throttle', process, order: chance.pick(ORDERS), waitMs: 1_200_000 },
      { kind: 'sleep', process, forMs },
      { kind: 'sleep', process, forMs: 20 * MINUTE },
      { kind: 'jump', process, byMs: chance.int(-10, 10) * MINUTE },
    ]);
    const actions: Action[] = [{ when, deed }];
    if (chance.bool(0.6)) actions.push({ when: later(when, chance.int(14, 20) * MINUTE), deed: this.another() });
    return actions;
  }

  private death(process: string, when: When): Action[] {
    const { chance } = this;
    const actions: Action[] = [{ when, deed: { kind: chance.bool(0.8) ? 'die' : 'interrupt', process } }];
    if (chance.bool(0.4)) {
      const deed = chance.pick<() => Deed>([() => this.scaleIn(), () => this.another(), () => this.ofOperator()])();
      actions.push({ when: later(when, chance.pick([MINUTE, 5 * MINUTE, 16 * MINUTE])), deed });
    }
    return actions;
  }

  private ofOperator(): Deed {
    const { chance } = this;
    const node = this.node();
    return chance.pick<Deed>([
      ...(['stop', 'start', 'cordon', 'uncordon', 'delete-node'] as const).map((kind) => ({ kind, node })),
      ...(['delete-tag', 'damage-tag', 'damage-note'] as const).map((kind) => ({ kind, node })),
      ...(['new-recipe', 'delete-secret', 'tag-pool', 'untag-pool'] as const).map((kind) => ({ kind })),
    ]);
  }

  private rollback(process: string, when: When): Action[] {
    const { chance } = this;
    const to = chance.pick([undefined, undefined, 'original']);
    const deed: Deed = { kind: 'command', name: `rollback ${++this.commands}`, command: { verb: 'rollback', to } };
    const ended: When = { process, step: 'end', plusMs: chance.pick([1000, 16 * MINUTE, HOUR]) };
    return [{ when: chance.bool(0.8) ? ended : when, deed }];
  }

  /** A recovery of the donor, or a second run on another machine. */
  private another(): Deed {
    const { chance } = this;
    const node = this.node();
    if (chance.bool(0.5)) {
      return { kind: 'command', name: `recover ${++this.commands}`, command: { verb: 'recover', node: String(node) } };
    }
    const name = `run ${'BCDEFGHIJKL'[this.commands++]}`;
    this.processes.push(name);
    const named: NamedDonor = chance.bool(0.3) ? { pool: POOL } : { node: String(node) };
    const command: SimCommand = { verb: 'run', named, isReleased: false, imageHistory: 3 };
    return { kind: 'command', name, command };
  }
}

function later(when: When, ms: number): When {
  return 'atMs' in when ? { atMs: when.atMs + ms } : { ...when, plusMs: when.plusMs + ms };
}
