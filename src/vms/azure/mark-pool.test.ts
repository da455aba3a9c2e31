import { describe, expect, it } from 'vitest';
import { NotFound } from '../../base/failures.ts';
import { wire } from './connect/testing.ts';
import { tagPool } from './mark-pool.ts';
import { rawScaleSet, scaleSetPool } from './scale-set.testing.ts';
import { azureOn } from './testing.ts';

const read = (top: object = {}) => ({ status: 200, body: rawScaleSet({ top }) });

describe('tags of a scale set', () => {
  it('are all sent, and nothing else, with an If-Match header', async () => {
    const { call, sent } = await wire(read(), { status: 200 });
    await tagPool(azureOn(call), scaleSetPool, { run: '1', team: 'b' });
    expect(sent[1]).toMatchObject({ method: 'PATCH', ifMatch: '"7"', body: { tags: { team: 'b', run: '1' } } });
  });

  it.each([{ team: 'a' }, { gone: null }, {}])('are not sent when nothing would change: %j', async (change) => {
    const { call, sent } = await wire(read());
    await tagPool(azureOn(call), scaleSetPool, change);
    expect(sent.map(({ method }) => method)).toEqual(['GET']);
  });

  it('are sent without a condition when the set has no etag', async () => {
    const { call, sent } = await wire(read({ etag: undefined }), { status: 200 });
    await tagPool(azureOn(call), scaleSetPool, { team: null });
    expect(sent[1]).toMatchObject({ ifMatch: undefined, body: { tags: {} } });
  });

  it('are refused when the pool does not exist', async () => {
    const { call } = await wire({ status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } });
    await expect(tagPool(azureOn(call), scaleSetPool, { a: '1' })).rejects.toBeInstanceOf(NotFound);
  });
});
