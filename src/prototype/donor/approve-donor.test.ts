import { describe, expect, it } from 'vitest';
import { PRIOR_ANNOTATION, savedModelName } from '../names.ts';
import { POOL_REF } from '../testing.ts';
import { approveDonor, type DonorTerms } from './approve-donor.ts';
import { findDonor } from './find-donor.ts';
import { donorLab, inspectionOf } from './testing.ts';

const STRICT: DonorTerms = { mayBeUnpatched: false, mayLoseBootstrap: false };
const REBOOT = 'reboot-required\t/run/reboot-required\tlinux-base';
const FOUND = Buffer.from('found').toString('base64');

async function approval(...lines: string[]) {
  const world = donorLab({ hasCluster: false });
  const { site, cluster, deps } = world;
  cluster.runScript = () => ({ exitCode: 0, stdout: inspectionOf(world.donor.vmId, ...lines), stderr: '' });
  const request = { named: { node: world.donor.computerName }, mayBeUnpatched: false, provenMs: 0 };
  const donor = await findDonor(site, request, deps);
  return { ...world, found: donor, approve: (terms: DonorTerms) => approveDonor(site, donor, terms, deps) };
}

describe('approveDonor', () => {
  it('throws all reasons against the donor at once', async () => {
    const { approve, donor } = await approval(REBOOT);
    const approved = approve(STRICT);
    await expect(approved).rejects.toMatchObject({ code: 'prototype/unpatched', kept: 'Nothing was changed.' });
    await expect(approved).rejects.toThrow(`${donor.computerName} is not patched`);
    await expect(approved).rejects.toThrow('the original bootstrap of pool1 is unknown');
  });

  it('accepts what the operator accepts', async () => {
    const { approve } = await approval(REBOOT);
    expect(await approve({ mayBeUnpatched: true, mayLoseBootstrap: true })).toEqual({});
  });

  it('returns the bootstrap found on the donor', async () => {
    const { approve } = await approval(`custom-data\t/var/lib/u\t${FOUND}`);
    expect(await approve(STRICT)).toEqual({ customData: FOUND });
  });

  it('prefers the bootstrap that the operator provides', async () => {
    const { approve } = await approval(`custom-data\t/var/lib/u\t${FOUND}`);
    expect(await approve({ ...STRICT, readBootstrap: () => 'Z2l2ZW4=' })).toEqual({ customData: 'Z2l2ZW4=' });
  });

  it('returns an empty text if the pool never had a bootstrap', async () => {
    const { approve, provider, ref } = await approval();
    provider.state.pools.get(ref.pool.id)!.model.bootstrap = 'none';
    expect(await approve(STRICT)).toEqual({ customData: '' });
  });

  it.each([
    ['a run has taken out of service', { annotations: { [PRIOR_ANNOTATION]: '{}' } }],
    ['is not Ready', { isReady: false }],
  ])('neither inspects a donor that %s nor reads the given bootstrap', async (_, node) => {
    const { site, found, deps, messages } = await approval();
    const readBootstrap = () => expect.unreachable();
    const out = { ...found, node: { ...found.node!, ...node } };
    expect(await approveDonor(site, out, { ...STRICT, readBootstrap }, deps)).toEqual({});
    expect(messages).toEqual([]);
  });

  it('finds no way back for a pool on a prototype whose original is gone, also with given custom data', async () => {
    const { approve, provider, ref } = await approval(`custom-data\t/var/lib/u\t${FOUND}`);
    const pool = provider.state.pools.get(ref.pool.id)!;
    pool.model.image = { kind: 'version', id: '/galleries/g/kamino-pool1-prototype/1.0.0' };
    const refusal = { code: 'prototype/no-way-back', message: expect.stringContaining('original model is not saved') };
    await expect(approve(STRICT)).rejects.toMatchObject(refusal);
    await expect(approve({ ...STRICT, readBootstrap: () => 'Z2l2ZW4=' })).rejects.toMatchObject(refusal);
    expect(await approve({ ...STRICT, mayLoseBootstrap: true })).toEqual({});
  });

  it('does not take the custom data of a donor that was made from a prototype', async () => {
    const { approve, found } = await approval(`custom-data\t/var/lib/u\t${FOUND}`);
    const { instance } = found.members!.find(({ node }) => node.name === found.name)!;
    instance.image = { kind: 'version', id: '/galleries/g/kamino-pool1-prototype/1.0.0' };
    await expect(approve(STRICT)).rejects.toThrow('the donor was made from another image');
  });

  describe('of a pool whose script extension hides its command', () => {
    const line = (state: string) =>
      `protected-settings\tMicrosoft.Azure.Extensions.CustomScript-2.1.10\t\t/var/lib/waagent/c/0.settings\t${state}`;
    const settings = { commandToExecute: 'join --token canary' };
    const opened = line(`opened\t${Buffer.from(JSON.stringify(settings)).toString('base64')}`);
    const customData = `custom-data\t/var/lib/u\t${FOUND}`;

    async function hidden(...lines: string[]) {
      const world = await approval(customData, ...lines);
      world.provider.state.pools.get(world.ref.pool.id)!.settings = { bootstrap: { fileUris: ['https://a/b'] } };
      return world;
    }

    it('returns the settings found on the donor', async () => {
      const { approve, messages } = await hidden(opened);
      expect(await approve(STRICT)).toEqual({ customData: FOUND, protectedSettings: { bootstrap: settings } });
      expect(messages.join('\n')).not.toContain('canary');
    });

    it.each([[[]], [[line('unreadable')]]])(
      'refuses without them (%j), unless the operator gives or waives them',
      async (lines) => {
        const { approve } = await hidden(...lines);
        await expect(approve(STRICT)).rejects.toMatchObject({
          code: 'prototype/no-way-back',
          message: expect.stringContaining('the protected settings of bootstrap of pool1 are unknown'),
          next: expect.stringContaining('--protected-settings FILE'),
        });
        const given = { bootstrap: { commandToExecute: 'given' }, other: { a: 1 } };
        expect(await approve({ ...STRICT, readProtectedSettings: () => given })).toEqual({
          customData: FOUND,
          protectedSettings: { bootstrap: given.bootstrap },
        });
        expect(await approve({ ...STRICT, mayLoseBootstrap: true })).toEqual({ customData: FOUND });
      },
    );

    it('only warns if the pool starts from a prototype already and its saved model lacks them', async () => {
      const { approve, cluster, provider, ref, messages } = await hidden();
      const pool = provider.state.pools.get(ref.pool.id)!;
      const { image, extensions } = pool.model;
      cluster.secrets.set(savedModelName(POOL_REF), {
        recipe: JSON.stringify({ image, extensions, customData: FOUND }),
      });
      pool.model.image = { kind: 'version', id: '/galleries/g/kamino-pool1-prototype/1.0.0' };
      pool.model.extensions = [];
      expect(await approve(STRICT)).toEqual({});
      expect(messages.join()).toContain('lacks the protected settings of bootstrap: a rollback to the original needs');
    });

    it('accepts that it has none at all', async () => {
      const { approve } = await hidden(line('none'));
      expect(await approve(STRICT)).toMatchObject({ protectedSettings: { bootstrap: {} } });
    });

    it('does not take them from a donor that was made from another image', async () => {
      const { approve, provider, ref } = await hidden(opened);
      const pool = provider.state.pools.get(ref.pool.id)!;
      pool.model.image = { kind: 'other', id: '/images/new' };
      await expect(approve({ ...STRICT, readBootstrap: () => 'Z2l2ZW4=' })).rejects.toThrow('are unknown');
    });

    it('keeps those that an earlier run saved for the same model', async () => {
      const { approve, cluster, provider, ref } = await hidden();
      const { image, extensions } = provider.state.pools.get(ref.pool.id)!.model;
      const saved = { image, extensions, protectedSettings: { bootstrap: settings } };
      cluster.secrets.set(savedModelName(POOL_REF), { recipe: JSON.stringify(saved) });
      expect(await approve(STRICT)).toMatchObject({ protectedSettings: { bootstrap: settings } });
    });
  });
});
