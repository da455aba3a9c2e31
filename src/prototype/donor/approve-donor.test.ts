import { describe, expect, it } from 'vitest';
import { PRIOR_ANNOTATION } from '../names.ts';
import { approveDonor, type DonorTerms } from './approve-donor.ts';
import { findDonor } from './find-donor.ts';
import { donorLab, inspectionOf } from './testing.ts';

const STRICT: DonorTerms = { mayBeUnpatched: false, mayLoseBootstrap: false };
const REBOOT = 'reboot-required\t/run/reboot-required\tlinux-base';
const FOUND = Buffer.from('found').toString('base64');

async function settling(...lines: string[]) {
  const world = donorLab({ hasCluster: false });
  const { site, cluster, deps } = world;
  cluster.runScript = () => ({ exitCode: 0, stdout: inspectionOf(world.donor.vmId, ...lines), stderr: '' });
  const wish = { named: { node: world.donor.computerName }, mayBeUnpatched: false, provenMs: 0 };
  const donor = await findDonor(site, wish, deps);
  return { ...world, found: donor, settle: (terms: DonorTerms) => approveDonor(site, donor, terms, deps) };
}

describe('settleDonor', () => {
  it('throws every reason against the donor at once', async () => {
    const { settle, donor } = await settling(REBOOT);
    const settled = settle(STRICT);
    await expect(settled).rejects.toMatchObject({ code: 'prototype/unpatched', kept: 'Nothing was changed.' });
    await expect(settled).rejects.toThrow(`${donor.computerName} is not patched`);
    await expect(settled).rejects.toThrow('the original bootstrap of pool1 is not known');
  });

  it('accepts what the operator accepts', async () => {
    const { settle } = await settling(REBOOT);
    expect(await settle({ mayBeUnpatched: true, mayLoseBootstrap: true })).toEqual({});
  });

  it('hands the bootstrap that was found on to the run', async () => {
    const { settle } = await settling(`custom-data\t/var/lib/u\t${FOUND}`);
    expect(await settle(STRICT)).toEqual({ customData: FOUND });
  });

  it('prefers the bootstrap that the operator gives', async () => {
    const { settle } = await settling(`custom-data\t/var/lib/u\t${FOUND}`);
    expect(await settle({ ...STRICT, readBootstrap: () => 'Z2l2ZW4=' })).toEqual({ customData: 'Z2l2ZW4=' });
  });

  it('says with an empty text that the pool never had a bootstrap', async () => {
    const { settle, factory, ref } = await settling();
    factory.state.pools.get(ref.pool.id)!.model.bootstrap = 'none';
    expect(await settle(STRICT)).toEqual({ customData: '' });
  });

  it.each([
    ['a run has out of service', { annotations: { [PRIOR_ANNOTATION]: '{}' } }],
    ['is not Ready', { isReady: false }],
  ])('neither looks at a donor that %s nor reads what the operator gives', async (_, node) => {
    const { site, found, deps, messages } = await settling();
    const readBootstrap = () => expect.unreachable();
    const out = { ...found, node: { ...found.node, ...node } };
    expect(await approveDonor(site, out, { ...STRICT, readBootstrap }, deps)).toEqual({});
    expect(messages).toEqual([]);
  });
});
