import { describe, expect, it } from 'vitest';
import { inspectionOf } from '../../prototype/donor/testing.ts';
import { PRIOR_ANNOTATION, prototypeDefinitionName } from '../../prototype/names.ts';
import { POOL, POOL_REF } from '../../prototype/testing.ts';
import { run } from '../testing.ts';
import { planVerb } from './plan.ts';
import { verbLab } from './testing.ts';

describe('prototype plan', () => {
  it('says that the donor was not inspected, and changes nothing', async () => {
    const world = verbLab();
    const before = JSON.stringify([...world.provider.state.pools, ...world.cluster.nodes]);
    const { code, stdout } = await world.runVerb(planVerb, '--node', world.donor.computerName);
    expect(code).toBe(0);
    expect(stdout).toContain('drain the donor');
    expect(stdout).toContain(`${world.donor.computerName} was not inspected (--inspect was not given)`);
    expect(stdout).toContain('- marketplace debian:debian-12:12-gen2:latest\n    + version 2026.11.15');
    expect(stdout).toContain('extensions\n    - bootstrap, billing\n    + billing');
    expect(world.cluster.scripts).toEqual([]);
    expect(JSON.stringify([...world.provider.state.pools, ...world.cluster.nodes])).toBe(before);
  });

  it('shows the findings of --inspect with file and line, and exits 3 if the run would be refused', async () => {
    const world = verbLab({ hasCluster: false });
    world.cluster.runScript = () => ({
      exitCode: 0,
      stdout: inspectionOf(
        world.donor.vmId,
        `reference\tkubelet\t/etc/default/kubelet\t3\tname\thostname-override\t${world.donor.computerName}`,
        'reboot-required\t/run/reboot-required\tlinux-base',
      ),
      stderr: '',
    });
    const result = await world.runVerb(planVerb, '--node', world.donor.computerName, '--inspect');
    expect(result.code).toBe(3);
    expect(result.stdout).toContain('inspected from inside:');
    expect(result.stdout).toContain('/etc/default/kubelet:3: hostname-override is');
    expect(result.stdout).toContain('no: a reboot is pending (/run/reboot-required)');
    expect(result.stdout).toMatch(/rollback uses +none/);
    const { code, stdout } = await world.runVerb(planVerb, '--node', world.donor.computerName, '--inspect', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'PrototypePlan',
      node: world.donor.computerName,
      inspection: { isDone: true, verdict: { findings: [expect.stringContaining('/etc/default/kubelet:3')] } },
      against: [{ code: 'prototype/not-clonable' }, { code: 'prototype/unpatched' }, { code: 'prototype/no-way-back' }],
    });
  });

  it('notes a definition that another tool made', async () => {
    const world = verbLab();
    const { gallery } = world.provider;
    const traits = { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' } as const;
    const identity = { publisher: 'kamino', offer: 'o', sku: 's' };
    await gallery.ensureDefinition(
      { gallery: world.intent.gallery, name: prototypeDefinitionName(POOL_REF), ...traits, ...identity },
      'here',
    );
    const { code, stdout } = await world.runVerb(planVerb, '--node', world.donor.computerName);
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/note: the image definition .*another tool \(publisher kamino\)/);
  });

  it('never prints the custom data that an inspection found', async () => {
    const world = verbLab({ hasCluster: false });
    const canary = Buffer.from('canary-of-plan').toString('base64');
    const stdout = inspectionOf(world.donor.vmId, `custom-data\t/var/lib/u\t${canary}`);
    world.cluster.runScript = () => ({ exitCode: 0, stdout, stderr: '' });
    for (const more of [[], ['--json']]) {
      const result = await world.runVerb(planVerb, '--node', world.donor.computerName, '--inspect', ...more);
      expect(result.stdout).toContain('/var/lib/u');
      expect(result.stdout + result.stderr).not.toContain(canary);
    }
  });

  it('does not inspect a donor that is out of service, and says why', async () => {
    const world = verbLab();
    world.cluster.touch(world.donor.computerName, { annotations: { [PRIOR_ANNOTATION]: '{}' } });
    const { stdout } = await world.runVerb(planVerb, '--node', world.donor.computerName, '--inspect');
    expect(stdout).toContain('was not inspected (a run has taken it out of service)');
    expect(world.cluster.scripts).toEqual([]);
  });

  it('chooses the best node of a pool and says why', async () => {
    const world = verbLab();
    const { stdout } = await world.runVerb(planVerb, '--pool', POOL);
    expect(stdout).toMatch(
      new RegExp(`^donor: ${world.donor.computerName} \\(the best candidate, on the latest model`),
    );
  });

  it('refuses if no node of the pool is suitable, with the reason for each', async () => {
    const world = verbLab();
    for (const name of world.cluster.nodes.keys()) world.cluster.touch(name, { isReady: false });
    const { code, stderr } = await world.runVerb(planVerb, '--pool', POOL);
    expect(code).toBe(1);
    expect(stderr).toContain('prototype/no-candidate');
    expect(stderr).toContain(`${world.donor.computerName}: it is not Ready`);
  });

  it.each([
    [[], 'prototype/no-donor-named'],
    [['--node', 'a', '--pool', 'b'], 'prototype/two-donors'],
  ])('refuses %j before any call', async (argv, error) => {
    for (const verb of ['plan', 'run']) {
      const { code, stderr } = await run(['prototype', verb, ...argv]);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(error) });
    }
  });
});
