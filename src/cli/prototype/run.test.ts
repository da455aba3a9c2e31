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
});
