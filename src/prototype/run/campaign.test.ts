// A crash at every await point of a run, and every kind of fault at every call, each followed by a resume: the invariants hold.
import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../base/errors.ts';
import { AUTOSCALER_ANNOTATION } from '../names.ts';
import { Crash, Dial, FAULTS, type Fault, type Lab, lab } from '../testing.ts';
import { donorViolations, modelViolations, readDonorState } from './invariants.testing.ts';

/** States in which operators may leave a node. */
const FOUND: Readonly<Record<string, (world: Lab) => void>> = {
  'an ordinary donor': () => undefined,
  'a donor that an operator cordoned, guarded and protected': ({ cluster, donor }) => {
    cluster.touch(donor.computerName, { isUnschedulable: true, annotations: { [AUTOSCALER_ANNOTATION]: 'false' } });
    donor.protection = { fromScaleIn: true, fromPoolActions: false };
  },
  // Longer than a dead run's hold lasts.
  'a donor whose disk is copied slowly': ({ provider }) => {
    provider.copyingMs = 20 * 60_000;
  },
};

const IS_FULL = process.env.HEADSTART_CAMPAIGN === 'full';

/** Most calls of a slow copy only poll it; outside a full campaign a sample of those is enough. */
function strideOf(name: string): number {
  return IS_FULL || !name.includes('slowly') ? 1 : 7;
}

async function callsOfACleanRun(prepare: (world: Lab) => void): Promise<number> {
  const world = lab();
  prepare(world);
  const dial = new Dial();
  await world.run(dial);
  return dial.calls;
}

/** Runs once with a fault, checks the invariants that must always hold, then runs the same command again. */
async function broken(fault: Fault, at: number, prepare: (world: Lab) => void): Promise<string[]> {
  const world = lab();
  prepare(world);
  const found = readDonorState(world);
  const violations: string[] = [];
  const dial = new Dial(fault, at);
  try {
    await world.run(dial, 'first');
    violations.push(...donorViolations(world, found));
  } catch (error) {
    if (!dial.isDead) violations.push(...donorViolations(world, found));
    if (!isAnswer(error)) violations.push(`not an answer: ${error}`);
  }
  violations.push(...modelViolations(world));
  world.clock.advance(16 * 60_000); // the hold of a dead run has expired
  await world.run(new Dial(), 'second');
  violations.push(...donorViolations(world, found), ...modelViolations(world), ...endViolations(world));
  return violations;
}

function isAnswer(error: unknown): boolean {
  return error instanceof UserError || error instanceof TransientError || error instanceof Crash;
}

/** The result that the operator expects. */
function endViolations({ provider, cluster, donor }: Lab): string[] {
  const pool = provider.state.pools.get(donor.ref.pool.id)!;
  const instance = provider.scaleOut(pool.ref);
  return [
    pool.model.image.kind === 'version' ? '' : 'the model does not point at a version',
    instance.hasRunBootstrap ? 'a new instance still bootstraps' : '',
    instance.isSealed ? '' : 'a new instance would have the identity of the donor',
    provider.state.snapshots.size === 0 ? '' : 'the snapshot was left behind',
    cluster.leases.size === 0 ? '' : 'the lease was left behind',
    [...provider.state.versions.values()].some((v) => v.isExcludedFromLatest) ? 'a version is still excluded' : '',
    pool.model.extensions.some((e) => e.name === 'billing') ? '' : 'the billing extension was removed',
  ].filter((violation) => violation !== '');
}

describe('the fault campaign', () => {
  let cases = 0;
  let violated = 0;

  describe.each(Object.entries(FOUND))('%s', (name, prepare) => {
    it.each(FAULTS)('keeps every invariant with %s at every call and a resume', async (fault) => {
      const calls = await callsOfACleanRun(prepare);
      expect(calls).toBeGreaterThan(100);
      for (let at = 0; at < calls; at += strideOf(name)) {
        cases++;
        const violations = await broken(fault, at, prepare);
        violated += violations.length;
        expect(violations, `${fault} at call ${at} of ${calls}`).toEqual([]);
      }
    });
  });

  it('has at least 1,000 cases', () => {
    console.log(`fault campaign: ${cases} cases, ${violated} violations`);
    expect(cases).toBeGreaterThanOrEqual(1000);
  });
});
