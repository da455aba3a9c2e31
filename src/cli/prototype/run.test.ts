import { describe, expect, it } from 'vitest';
import { inspectionOf } from '../../prototype/donor/testing.ts';
import { POOL } from '../../prototype/testing.ts';
import { runVerb } from './run.ts';
import { verbLab } from './testing.ts';

describe('prototype run', () => {
  it('prints the plan with --dry-run, and changes nothing', async () => {
    const world = verbLab();
    const before = JSON.stringify([...world.provider.state.pools, ...world.cluster.nodes]);
    const { code, stdout } = await world.runVerb(runVerb, '--pool', POOL, '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('drain the donor');
    expect(JSON.stringify([...world.provider.state.pools, ...world.cluster.nodes])).toBe(before);
  });

  it('prints the chosen donor with the reason, inspects it, and refuses an unsuitable one', async () => {
    const world = verbLab({ hasCluster: false });
    const stdout = inspectionOf(world.donor.vmId, 'reboot-required\t/run/reboot-required\tlinux-base');
    world.cluster.runScript = () => ({ exitCode: 0, stdout, stderr: '' });
    const result = await world.runVerb(runVerb, '--pool', POOL, '--without-way-back');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(world.donor.computerName);
    expect(result.stderr).toContain(`inspecting ${world.donor.computerName} from inside ...\n`);
    expect(result.stderr).toContain('code:  prototype/unpatched');
    expect(world.cluster.leases.size).toBe(0);
  });

  it('refuses options without a donor before it connects', async () => {
    const { code, stderr } = await verbLab().runVerb(runVerb, '--dry-run');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no donor: neither --node nor --pool is given'),
    });
  });

  it.each([
    [{ troubles: ['DiskPressure'] }, 'prototype/unfit-donor', '--allow-unfit'],
    [{ readySinceMs: 1e15 }, 'prototype/unproven-donor', '--ready-for 0'],
  ])('refuses a named donor with %j before anything runs on it, and names the flag', async (change, code, flag) => {
    const world = verbLab();
    world.cluster.touch(world.donor.computerName, change);
    const before = JSON.stringify([...world.provider.state.pools, ...world.cluster.nodes]);
    const argv = ['--node', world.donor.computerName, '--without-way-back'];
    const refused = await world.runVerb(runVerb, ...argv);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`code:  ${code}`) });
    expect(refused.stderr).toContain(flag);
    expect(world.cluster.scripts).toEqual([]);
    expect(JSON.stringify([...world.provider.state.pools, ...world.cluster.nodes])).toBe(before);
    const allowed = await world.runVerb(runVerb, ...argv, ...flag.split(' '));
    expect(allowed.stderr).not.toContain(code);
    expect(world.cluster.scripts).not.toEqual([]);
  });

  it('refuses the node it runs on, and does not choose it', async () => {
    const world = verbLab();
    const env = { NODE_NAME: world.donor.computerName };
    const refused = await world.runVerb(runVerbIn(env), '--node', world.donor.computerName);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('code:  prototype/own-node') });
    const planned = await world.runVerb(runVerbIn(env), '--pool', POOL, '--dry-run', '--json');
    expect(JSON.parse(planned.stdout).node).not.toBe(world.donor.computerName);
    expect(world.cluster.scripts).toEqual([]);
  });
});

/** The verb in a pod with these variables. */
function runVerbIn(env: Readonly<Record<string, string>>): typeof runVerb {
  return (connect) => {
    const verb = runVerb(connect);
    return { ...verb, run: (args, options, deps) => verb.run(args, options, { ...deps, env }) };
  };
}
