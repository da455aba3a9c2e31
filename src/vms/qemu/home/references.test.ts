import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setCapacity } from '../pools/capacity.ts';
import { createPool } from '../pools/pools.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';
import { parseVersionId, poolRef, versionFolder } from './layout.ts';
import { versionUsers } from './references.ts';

let lab: Lab;
let image: string;
beforeEach(async () => {
  lab = makeLab();
  image = await publishEmpty(lab);
});
afterEach(() => lab.end());

const definitionImage = { kind: 'definition', id: 'galleries/headstart/empty' } as const;
const users = () => Object.fromEntries(versionUsers(lab.context.home));

it('a version that nothing was made from has no user', () => {
  expect(users()).toEqual({});
});

it('a model uses its version, and an instance keeps using its version after a model change', async () => {
  await createPool(lab.context, poolSpec(image));
  expect(users()).toEqual({ [image]: 'the model of pool web' });
  await setCapacity(lab.context, poolRef('web'), 1);
  expect(users()).toEqual({ [image]: 'instance web-000001' });
});

it('a model that refers to a definition uses only its newest version', async () => {
  await createPool(lab.context, poolSpec('', { image: definitionImage }));
  const newer = await publishEmpty(lab, '1.0.1');
  expect(users()).toEqual({ [newer]: 'the model of pool web' });
});

it('a model of a definition without versions uses none', async () => {
  await createPool(lab.context, poolSpec('', { image: definitionImage }));
  rmSync(versionFolder(lab.context.home, parseVersionId(image)!), { recursive: true });
  expect(users()).toEqual({});
});
