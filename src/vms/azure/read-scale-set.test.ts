import { describe, expect, it } from 'vitest';
import { Forbidden, NotFound } from '../../base/failures.ts';
import { wire } from './connect/testing.ts';
import { poolScaleSet, readScaleSet, refOf } from './read-scale-set.ts';
import { group, rawScaleSet, scaleSet, scaleSetPool } from './scale-set.testing.ts';

const ref = poolScaleSet(scaleSetPool);
const refused = (status: number, code: string) => ({ status, body: { error: { code, message: code } } });

describe('reading a scale set', () => {
  it('keeps the settings of extensions unchanged', async () => {
    const { call } = await wire({ status: 200, body: rawScaleSet() });
    const { properties } = (await readScaleSet(call, ref))!;
    expect(properties.virtualMachineProfile?.extensionProfile?.extensions?.[0]?.properties).toMatchObject({
      settings: { port: 1 },
    });
  });

  it.each(['ResourceNotFound', 'ResourceGroupNotFound'])(
    'returns undefined when Azure responds with %s',
    async (code) => {
      const { call } = await wire(refused(404, code));
      expect(await readScaleSet(call, ref)).toBeUndefined();
    },
  );

  it('throws when Azure refuses', async () => {
    const { call } = await wire(refused(403, 'AuthorizationFailed'));
    await expect(readScaleSet(call, ref)).rejects.toBeInstanceOf(Forbidden);
  });
});

describe('a pool and its scale set', () => {
  it('have the same id, in the spelling of the scale set', () => {
    const odd = scaleSet({ top: { id: `${group.toUpperCase()}/VIRTUALMACHINESCALESETS/POOL` } });
    expect(refOf(odd).name).toBe('pool');
    expect(refOf(odd).id.endsWith('/virtualMachineScaleSets/pool')).toBe(true);
    expect(poolScaleSet(refOf(odd)).name).toBe('pool');
  });

  it('do not exist for an id of another kind', () => {
    for (const id of ['pool', group, `${group}/virtualMachines/v`, ''])
      expect(() => poolScaleSet({ id, name: 'x' })).toThrow(NotFound);
  });
});
