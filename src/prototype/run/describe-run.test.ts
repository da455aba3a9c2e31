import { describe, expect, it } from 'vitest';
import { findDonor } from '../donor/find-donor.ts';
import { donorLab, inspectionOf } from '../donor/testing.ts';
import { PRIOR_ANNOTATION } from '../names.ts';
import { POOL } from '../testing.ts';
import { type DescriptionRequest, describeRun } from './describe-run.ts';

const STRICT = { mayBeUnpatched: false, mayLoseBootstrap: false };
const REBOOT = 'reboot-required\t/run/reboot-required\tlinux-base';

function planning(...lines: string[]) {
  const world = donorLab({ hasCluster: false });
  world.cluster.runScript = () => ({ exitCode: 0, stdout: inspectionOf(world.donor.vmId, ...lines), stderr: '' });
  const { site, deps, intent } = world;
  const find = (named: { node: string } | { pool: string } = { node: intent.nodeName }) =>
    findDonor(site, { named, mayBeUnpatched: true, provenMs: 0 }, deps);
  const state = () => JSON.stringify([...world.provider.state.pools, ...world.cluster.nodes, ...world.cluster.leases]);
  return {
    ...world,
    find,
    state,
    describe: async (wish: Partial<DescriptionRequest> = {}) =>
      describeRun(site, await find(), { intent, terms: STRICT, isInspecting: true, ...wish }, deps),
  };
}

describe('describeRun', () => {
  it('returns the steps, the model change and the version, and changes nothing', async () => {
    const { describe: describeIt, state, intent } = planning();
    const before = state();
    const described = await describeIt({ isInspecting: false });
    expect(described).toMatchObject({ node: intent.nodeName, pool: POOL, version: intent.version, against: [] });
    expect(described.steps.length).toBeGreaterThan(5);
    expect(described.model.length).toBeGreaterThan(0);
    expect(state()).toBe(before);
  });

  it('lists what the cloud would refuse, and notes what the user should know', async () => {
    const { site, deps, intent, find } = planning();
    const refusal = { code: 'vms/locked', reason: 'the group is locked', next: 'remove the lock' };
    const checkAccess = async () => ({ refusals: [refusal], notes: ['snapshots will stay'] });
    const closed = { ...site, provider: { ...site.provider, checkAccess } };
    const wish = { intent, terms: STRICT, isInspecting: false };
    expect(await describeRun(closed, await find(), wish, deps)).toMatchObject({
      against: [refusal],
      notes: ['snapshots will stay'],
    });
    expect((await describeRun(site, await find(), wish, deps)).notes).toEqual([]);
  });

  it('explains the choice of a donor, unless the operator named it', async () => {
    const { site, deps, intent, find } = planning();
    const wish = { intent, terms: STRICT, isInspecting: false };
    expect(await describeRun(site, await find(), wish, deps)).not.toHaveProperty('because');
    const chosen = await find({ pool: POOL });
    expect((await describeRun(site, chosen, wish, deps)).because).toBe(chosen.because);
    expect(chosen.because).toBeDefined();
  });

  it('runs no script on the donor unless inspection is allowed', async () => {
    const { describe: describeIt, cluster, messages } = planning(REBOOT);
    const { inspection, against } = await describeIt({ isInspecting: false });
    expect(inspection).toEqual({ isDone: false, because: '--inspect was not given' });
    expect([against, cluster.scripts, messages]).toEqual([[], [], []]);
  });

  it('returns the verdict of the inspection and the refusals that follow from it', async () => {
    const { describe: describeIt, messages, intent } = planning(REBOOT);
    const { inspection, against } = await describeIt();
    expect(inspection).toMatchObject({ isDone: true, verdict: { node: intent.nodeName, pool: POOL } });
    expect(against.map(({ code }) => code)).toEqual(['prototype/unpatched', 'prototype/no-way-back']);
    expect(messages).toEqual([`inspect ${intent.nodeName}`]);
  });

  it('does not refuse what the operator accepts or provides', async () => {
    const { describe: describeIt } = planning(REBOOT);
    const mayBeUnpatched = true;
    expect((await describeIt({ terms: { mayBeUnpatched, mayLoseBootstrap: true } })).against).toEqual([]);
    const readBootstrap = () => {
      throw new Error('a plan does not need the bootstrap itself');
    };
    const given = await describeIt({ terms: { mayBeUnpatched, mayLoseBootstrap: false, readBootstrap } });
    expect(given).toMatchObject({ against: [], inspection: { verdict: { wayBack: { kind: 'given' } } } });
  });

  it('does not inspect a donor that is not Ready or out of service', async () => {
    const { describe: describeIt, cluster, donor, intent, messages } = planning();
    donor.power = 'stopped';
    cluster.touch(intent.nodeName, { isReady: false });
    const notReady = await describeIt();
    expect(notReady.inspection).toEqual({ isDone: false, because: 'it is not Ready' });
    expect(notReady.against.length).toBeGreaterThan(0);
    const prior = { run: 'dead', isUnschedulable: false, protection: { fromScaleIn: false, fromPoolActions: false } };
    cluster.touch(intent.nodeName, { annotations: { [PRIOR_ANNOTATION]: JSON.stringify(prior) } });
    expect((await describeIt()).inspection).toEqual({ isDone: false, because: 'a run has taken it out of service' });
    expect(messages).toEqual([]);
  });

  it('lists refusals of the pool before refusals of the donor', async () => {
    const { describe: describeIt, provider, ref } = planning(REBOOT);
    provider.state.pools.get(ref.pool.id)!.model.isSpot = true;
    const codes = (await describeIt()).against.map(({ code }) => code);
    expect(codes[0]).toBe('prototype/spot');
    expect(codes).toContain('prototype/unpatched');
  });
});
