import { describe, expect, it } from 'vitest';
import { firstOf, type MetadataSource } from './source.ts';

describe('firstOf', () => {
  const given = (name: string, document: string | undefined): MetadataSource => ({
    name,
    isFixed: true,
    fetch: async () => ({
      document: document === undefined ? undefined : Buffer.from(document),
      instance: { platform: 'azure', vmId: name, addresses: [], tags: {} },
    }),
  });
  const failing: MetadataSource = { name: 'failing', isFixed: false, fetch: () => Promise.reject(new Error('down')) };

  it('reads later sources only if the first has no document, and keeps the instance of the first', async () => {
    const source = firstOf([given('a', undefined), given('b', 'from b'), failing]);
    const { document, instance } = await source.fetch({ timeoutMs: 1 });
    expect([Buffer.from(document!).toString(), instance.vmId]).toEqual(['from b', 'a']);
  });

  it('fails if the first source fails', async () => {
    await expect(firstOf([failing, given('b', 'from b')]).fetch({ timeoutMs: 1 })).rejects.toThrow('down');
  });

  it('returns the instance of the first if no source has a document', async () => {
    const { document, instance } = await firstOf([given('a', undefined), given('b', undefined)]).fetch({
      timeoutMs: 1,
    });
    expect([document, instance.vmId]).toEqual([undefined, 'a']);
  });

  it('is named after all sources, and fixed only if all are', () => {
    const { name, isFixed } = firstOf([given('a', 'x'), failing]);
    expect([name, isFixed, firstOf([given('a', 'x')]).isFixed]).toEqual(['a, then failing', false, true]);
  });
});
