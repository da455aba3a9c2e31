import { describe, expect, it } from 'vitest';
import { firstOf, type MetadataSource } from './source.ts';

describe('the first source that has a document', () => {
  const given = (name: string, document: string | undefined): MetadataSource => ({
    name,
    isFixed: true,
    fetch: async () => ({
      document: document === undefined ? undefined : Buffer.from(document),
      instance: { platform: 'azure', vmId: name, addresses: [], tags: {} },
    }),
  });
  const failing: MetadataSource = { name: 'failing', isFixed: false, fetch: () => Promise.reject(new Error('down')) };

  it('is asked first, and the others only when it has none; the instance is as the first says', async () => {
    const source = firstOf([given('a', undefined), given('b', 'from b'), failing]);
    const { document, instance } = await source.fetch({ timeoutMs: 1 });
    expect([Buffer.from(document!).toString(), instance.vmId]).toEqual(['from b', 'a']);
  });

  it('is not the second when the first fails: failing is not having none', async () => {
    await expect(firstOf([failing, given('b', 'from b')]).fetch({ timeoutMs: 1 })).rejects.toThrow('down');
  });

  it('has the document of none, with the instance of the first, where none has one', async () => {
    const { document, instance } = await firstOf([given('a', undefined), given('b', undefined)]).fetch({
      timeoutMs: 1,
    });
    expect([document, instance.vmId]).toEqual([undefined, 'a']);
  });

  it('is named after all, and fixed only where all are', () => {
    const { name, isFixed } = firstOf([given('a', 'x'), failing]);
    expect([name, isFixed, firstOf([given('a', 'x')]).isFixed]).toEqual(['a, then failing', false, true]);
  });
});
