import { describe, expect, it } from 'vitest';
import { savedModelName } from '../../prototype/names.ts';
import { POOL, POOL_REF } from '../../prototype/testing.ts';
import { type VerbLab, verbLab } from './testing.ts';
import { uninstallVerb } from './uninstall.ts';

async function prototyped(): Promise<VerbLab> {
  const world = verbLab();
  await world.run();
  const { recipe } = world.cluster.secrets.get(savedModelName(POOL_REF))!;
  const whole = { ...(JSON.parse(recipe!) as object), customData: Buffer.from('canary').toString('base64') };
  world.cluster.secrets.set(savedModelName(POOL_REF), { recipe: JSON.stringify(whole) });
  return world;
}

describe('prototype uninstall', () => {
  it('prints with --dry-run what would be removed, and changes nothing', async () => {
    const world = await prototyped();
    const { code, stdout } = await world.runVerb(uninstallVerb, '--pool', POOL, '--dry-run');
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      `changes to ${POOL} that would be made:`,
      `  point ${POOL} at marketplace debian:debian-12:12-gen2:latest instead of version ${world.intent.version}`,
      '  remove the tags headstart-bootstrap, headstart-prototype from the pool',
    ]);
    expect(stdout).toContain(`the clone check stays on the disks of ${world.donor.computerName}`);
    expect(world.provider.state.versions.size).toBe(1);
    expect(world.cluster.leases.size).toBe(0);
  });

  it('refuses without a terminal, unless --yes is given', async () => {
    const world = await prototyped();
    const refused = await world.runVerb(uninstallVerb, '--pool', POOL);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('cli/not-confirmed') });
    expect(world.provider.state.versions.size).toBe(1);
    const done = await world.runVerb(uninstallVerb, '--pool', POOL, '--yes');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`changes made to ${POOL}:`) });
    expect(done.stdout).toContain('delete the saved original model');
    expect(done.stdout + done.stderr).not.toContain(Buffer.from('canary').toString('base64'));
    expect([world.provider.state.versions.size, world.cluster.secrets.size]).toEqual([0, 0]);
  });

  it('has nothing to do the second time, and does not ask', async () => {
    const world = await prototyped();
    await world.runVerb(uninstallVerb, '--pool', POOL, '--yes');
    const again = await world.runVerb(uninstallVerb, '--pool', POOL);
    expect(again).toMatchObject({ code: 0, stdout: `nothing that headstart added is left on ${POOL}\n` });
  });

  it('exits 4 while instances use a version, and names them and the next step, also as JSON', async () => {
    const world = await prototyped();
    const born = world.provider.scaleOut(world.ref.pool);
    const result = await world.runVerb(uninstallVerb, '--pool', POOL, '--yes', '--json');
    expect(result.code).toBe(4);
    const lines = result.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ kind: 'PrototypeEvent', event: 'step', step: 'put-pool-back' });
    expect(lines.at(-1)).toMatchObject({
      kind: 'PrototypeUninstall',
      pool: POOL,
      to: 'original',
      isDryRun: false,
      kept: [{ because: `${born.computerName} still runs it`, next: expect.any(String) }, expect.anything()],
    });
    const again = await world.runVerb(uninstallVerb, '--pool', POOL);
    expect(again).toMatchObject({ code: 4, stdout: expect.stringContaining(`nothing to do on ${POOL} for now`) });
  });

  it('refuses an unknown version', async () => {
    const world = await prototyped();
    const { code, stderr } = await world.runVerb(uninstallVerb, '--pool', POOL, '--to', '1.2.3', '--yes');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('prototype/no-such-version') });
    expect(world.provider.state.versions.size).toBe(1);
  });
});
