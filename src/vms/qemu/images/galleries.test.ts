import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyDefinition, type Lab, makeLab, publishEmpty } from '../testing.ts';
import { deleteDefinition, deleteGallery, ensureDefinition, listDefinitions, readDefinition } from './galleries.ts';

let lab: Lab;
beforeEach(() => {
  lab = makeLab();
});
afterEach(() => lab.end());

const spec = { ...emptyDefinition, gallery: 'g', name: 'd' };
const ensure = (changes: Partial<typeof spec> = {}) => ensureDefinition(lab.context, { ...spec, ...changes }, 'local');

describe('ensureDefinition', () => {
  it('makes a definition with its gallery, and returns it the next time', async () => {
    const made = await ensure();
    expect(made).toEqual({ ...spec, id: 'galleries/g/d' });
    expect(await ensure()).toEqual(made);
    expect(await readDefinition(lab.context, 'g', 'd')).toEqual(made);
  });

  it('refuses a definition that differs in fields that cannot change, and names every difference', async () => {
    const made = await ensure();
    const plan = { name: 'n', product: 'p', publisher: 'q' };
    await expect(ensure({ osState: 'specialized', plan })).rejects.toMatchObject({
      code: 'vms/definition-differs',
      message: expect.stringMatching(/osState is generalized, needed specialized, plan is none, needed q\/p\/n$/),
    });
    expect(await readDefinition(lab.context, 'g', 'd')).toEqual(made);
  });
});

describe('listDefinitions', () => {
  it('distinguishes a missing gallery from an empty one', async () => {
    expect(await listDefinitions(lab.context, 'g')).toBeUndefined();
    await deleteDefinition(lab.context, await ensure());
    expect(await listDefinitions(lab.context, 'g')).toEqual([]);
  });
});

describe('deleting', () => {
  it('is refused for a gallery with definitions and for a definition with versions', async () => {
    await publishEmpty(lab);
    const [definition] = (await listDefinitions(lab.context, 'headstart'))!;
    const isNotEmpty = { code: 'vms/not-empty' };
    await expect(deleteDefinition(lab.context, definition!)).rejects.toMatchObject(isNotEmpty);
    await expect(deleteGallery(lab.context, 'headstart')).rejects.toMatchObject(isNotEmpty);
    expect(await listDefinitions(lab.context, 'headstart')).toEqual([definition]);
  });

  it('succeeds when the gallery or definition does not exist', async () => {
    const definition = await ensure();
    for (let times = 0; times < 2; times++) {
      await deleteDefinition(lab.context, definition);
      await deleteGallery(lab.context, 'g');
    }
    expect(await listDefinitions(lab.context, 'g')).toBeUndefined();
  });
});
