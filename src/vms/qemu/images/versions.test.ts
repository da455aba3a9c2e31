import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFound } from '../../../base/failures.ts';
import type { Definition } from '../../gallery.ts';
import { createPool } from '../pools/pools.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';
import { listDefinitions } from './galleries.ts';
import { deleteVersion, listVersions, readVersion, setExcludedFromLatest, tagVersion } from './versions.ts';

let lab: Lab;
let definition: Definition;
beforeEach(async () => {
  lab = makeLab();
  for (const name of ['1.9.0', '1.10.0']) await publishEmpty(lab, name);
  [definition] = (await listDefinitions(lab.context, 'headstart')) as [Definition];
});
afterEach(() => lab.end());

const names = async () => (await listVersions(lab.context, definition)).map(({ name }) => name);

it('listVersions sorts newest first, with all fields', async () => {
  expect(await names()).toEqual(['1.10.0', '1.9.0']);
  expect(await readVersion(lab.context, definition, '1.9.0')).toMatchObject({
    state: 'ready',
    percent: 100,
    sizeGb: 1,
  });
  expect(await readVersion(lab.context, definition, '2.0.0')).toBeUndefined();
});

describe('a change of a version', () => {
  it('keeps everything else', async () => {
    const before = await readVersion(lab.context, definition, '1.9.0');
    await setExcludedFromLatest(lab.context, definition, '1.9.0', true);
    await tagVersion(lab.context, definition, '1.9.0', { a: '1', b: '2' });
    await tagVersion(lab.context, definition, '1.9.0', { b: null });
    expect(await readVersion(lab.context, definition, '1.9.0')).toEqual({
      ...before,
      isExcludedFromLatest: true,
      tags: { ...before!.tags, a: '1' },
    });
  });

  it('throws NotFound when the version does not exist', async () => {
    await expect(tagVersion(lab.context, definition, '2.0.0', {})).rejects.toBeInstanceOf(NotFound);
    await expect(setExcludedFromLatest(lab.context, definition, '2.0.0', true)).rejects.toBeInstanceOf(NotFound);
  });
});

describe('deleteVersion', () => {
  it('is refused while a pool uses the version', async () => {
    await createPool(lab.context, poolSpec(`${definition.id}/1.9.0`));
    await expect(deleteVersion(lab.context, definition, '1.9.0')).rejects.toMatchObject({
      code: 'vms/in-use',
      message: expect.stringContaining('the model of pool web'),
    });
    expect(await names()).toContain('1.9.0');
  });

  it('deletes one version, and succeeds when it does not exist', async () => {
    await deleteVersion(lab.context, definition, '1.10.0');
    await deleteVersion(lab.context, definition, '1.10.0');
    expect(await names()).toEqual(['1.9.0']);
  });
});
