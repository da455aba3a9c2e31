import { describe, expect, it } from 'vitest';
import { type Fetched, MetadataFailure } from '../../metadata/source.ts';
import { aWorld } from './effects.testing.ts';
import { createFetch } from './fetch.ts';

const instance = { platform: 'azure', vmId: 'vm-1', addresses: [], tags: {} } as const;
const BY_ITSELF = { isOrdered: false };

describe('a request for metadata', () => {
  it('tells the loop which document there is, and keeps its bytes for this instance', async () => {
    const document = Buffer.from('{}');
    const { context, told } = aWorld({ fetch: async () => ({ document, instance }) });
    await createFetch(context)(BY_ITSELF);
    const [event] = told as [{ is: 'fetched'; raw: string }];
    expect(event.is).toBe('fetched');
    expect(context.documents.unread(event.raw)).toEqual({ document, origin: 'test', instance });
  });

  it('tells the loop that there is no document', async () => {
    const { context, told } = aWorld({ fetch: async () => ({ document: undefined, instance }) });
    await createFetch(context)(BY_ITSELF);
    expect(told).toEqual([{ is: 'fetched', raw: undefined }]);
  });

  it('that a newer one replaces tells nothing, whenever it ends', async () => {
    const answers: ((fetched: Fetched) => void)[] = [];
    const { context, told } = aWorld({ fetch: () => new Promise((resolve) => answers.push(resolve)) });
    const fetch = createFetch(context);
    const [first, second] = [fetch(BY_ITSELF), fetch({ isOrdered: true })];
    answers[1]!({ document: Buffer.from('new'), instance });
    await second;
    answers[0]!({ document: Buffer.from('old'), instance });
    await first;
    expect(told).toHaveLength(1);
    expect(context.documents.unread((told[0] as { raw: string }).raw).document).toEqual(Buffer.from('new'));
  });

  it('that goes wrong for good tells why', async () => {
    const failure = new MetadataFailure('metadata/bad-answer', 'it is no user data', { isFinal: true });
    const { context, told, logged } = aWorld({ fetch: () => Promise.reject(failure) });
    await createFetch(context)(BY_ITSELF);
    expect(told).toMatchObject([{ is: 'fetch-failed', why: { code: 'metadata/bad-answer' } }]);
    expect(logged.at(-1)).toMatch(/^warning /);
  });

  it('of a person ends after half a minute without an answer, and says what is wrong', async () => {
    const silent = new MetadataFailure('metadata/unreachable', 'nobody answers');
    const { context, told } = aWorld({ fetch: () => Promise.reject(silent) });
    await createFetch(context)({ isOrdered: true });
    const last = told.at(-1) as { is: string; why: { code: string; detail: string } };
    expect([last.is, last.why.code]).toEqual(['fetch-failed', 'metadata/unreachable']);
    expect(last.why.detail).toMatch(/, for 30 s$/);
  });

  it('that goes wrong in a way nobody expects is a bug of the lane of requests', async () => {
    const { context, told, logged } = aWorld({ fetch: () => Promise.reject(new TypeError('bug')) });
    await createFetch(context)(BY_ITSELF);
    expect(told).toEqual([{ is: 'broke', lane: 'fetch', detail: 'bug' }]);
    expect(logged[0]).toContain('unexpected: TypeError: bug');
  });

  it('tells nothing any more once the daemon stops', async () => {
    const { context, told, stop } = aWorld({
      fetch: ({ signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
    });
    const fetching = createFetch(context)(BY_ITSELF);
    stop();
    await fetching;
    expect(told).toEqual([]);
  });
});
