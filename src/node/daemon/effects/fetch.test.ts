import { describe, expect, it } from 'vitest';
import { type FetchedMetadata, MetadataFailure } from '../../metadata/source.ts';
import { aWorld } from './effects.testing.ts';
import { createFetch } from './fetch.ts';

const instance = { platform: 'azure', vmId: 'vm-1', addresses: [], tags: {} } as const;
const BY_ITSELF = { isOrdered: false };

describe('a fetch', () => {
  it('dispatches the delivered document and keeps its bytes for this instance', async () => {
    const document = Buffer.from('{}');
    const { context, dispatched } = aWorld({ fetch: async () => ({ document, instance }) });
    await createFetch(context)(BY_ITSELF);
    const [event] = dispatched as [{ is: 'fetched'; raw: string }];
    expect(event.is).toBe('fetched');
    expect(context.documents.unread(event.raw)).toEqual({ document, origin: 'test', instance });
  });

  it('dispatches that there is no document', async () => {
    const { context, dispatched } = aWorld({ fetch: async () => ({ document: undefined, instance }) });
    await createFetch(context)(BY_ITSELF);
    expect(dispatched).toEqual([{ is: 'fetched', raw: undefined }]);
  });

  it('dispatches nothing after a newer fetch has replaced it', async () => {
    const answers: ((fetched: FetchedMetadata) => void)[] = [];
    const { context, dispatched } = aWorld({ fetch: () => new Promise((resolve) => answers.push(resolve)) });
    const fetch = createFetch(context);
    const [first, second] = [fetch(BY_ITSELF), fetch({ isOrdered: true })];
    answers[1]!({ document: Buffer.from('new'), instance });
    await second;
    answers[0]!({ document: Buffer.from('old'), instance });
    await first;
    expect(dispatched).toHaveLength(1);
    expect(context.documents.unread((dispatched[0] as { raw: string }).raw).document).toEqual(Buffer.from('new'));
  });

  it('dispatches the reason of a final failure', async () => {
    const failure = new MetadataFailure('metadata/bad-answer', 'it is no user data', { isFinal: true });
    const { context, dispatched, logged } = aWorld({ fetch: () => Promise.reject(failure) });
    await createFetch(context)(BY_ITSELF);
    expect(dispatched).toMatchObject([{ is: 'fetch-failed', why: { code: 'metadata/bad-answer' } }]);
    expect(logged.at(-1)).toMatch(/^warning /);
  });

  it('gives up after 30 seconds if it was ordered, and dispatches the reason', async () => {
    const silent = new MetadataFailure('metadata/unreachable', 'no answer');
    const { context, dispatched } = aWorld({ fetch: () => Promise.reject(silent) });
    await createFetch(context)({ isOrdered: true });
    const last = dispatched.at(-1) as { is: string; why: { code: string; detail: string } };
    expect([last.is, last.why.code]).toEqual(['fetch-failed', 'metadata/unreachable']);
    expect(last.why.detail).toMatch(/; gave up after 30 s$/);
  });

  it('reports an unexpected error in the fetch lane', async () => {
    const { context, dispatched, logged } = aWorld({ fetch: () => Promise.reject(new TypeError('bug')) });
    await createFetch(context)(BY_ITSELF);
    expect(dispatched).toEqual([{ is: 'broke', lane: 'fetch', detail: 'bug' }]);
    expect(logged[0]).toContain('unexpected: TypeError: bug');
  });

  it('dispatches nothing once the daemon stops', async () => {
    const { context, dispatched, stop } = aWorld({
      fetch: ({ signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
    });
    const fetching = createFetch(context)(BY_ITSELF);
    stop();
    await fetching;
    expect(dispatched).toEqual([]);
  });
});
