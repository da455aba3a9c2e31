import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { NodeMetadata } from '../api/own-node.ts';
import type { Announcement } from '../daemon/state.ts';
import { announcementIn, watchOwnNode } from './node-watch.ts';

const hash = 'a'.repeat(64);
const metadata = (annotations: Record<string, string>): NodeMetadata => ({
  name: 'n',
  uid: 'u',
  labels: {},
  annotations,
});

describe('announcementIn', () => {
  it('returns a generation, and a hash if there is one', () => {
    const announced = { 'headstart.dev/desired-generation': '8', 'headstart.dev/desired-hash': hash };
    expect(announcementIn(metadata(announced))).toEqual({ generation: 8, documentHash: hash });
    expect(announcementIn(metadata({ 'headstart.dev/desired-generation': '8' }))).toEqual({ generation: 8 });
  });

  it.each([
    {},
    { 'headstart.dev/desired-hash': hash },
    { 'headstart.dev/desired-generation': '0' },
    { 'headstart.dev/desired-generation': '-1' },
    { 'headstart.dev/desired-generation': '1e9' },
    { 'headstart.dev/desired-generation': '9'.repeat(400) },
    { 'headstart.dev/desired-generation': '8', 'headstart.dev/desired-hash': 'sha256:abc' },
  ])('returns undefined for %o', (annotations) => {
    expect(announcementIn(metadata(annotations))).toBeUndefined();
  });
});

describe('watchOwnNode', () => {
  /** Each watch runs the next function; the test stops after the last. */
  async function watch(...turns: ((heard: (metadata: NodeMetadata) => void) => void)[]) {
    const clock = fakeClock();
    const stop = new AbortController();
    const announced: Announcement[] = [];
    const troubles: string[] = [];
    const pauses: number[] = [];
    let renewals = 0;
    let turn = 0;
    await watchOwnNode(
      {
        clock: {
          nowMs: clock.nowMs,
          sleep: async (ms) => {
            pauses.push(ms);
          },
        },
        random: () => 1,
        node: {
          watchMetadata: async (heard) => {
            const act = turns[turn++];
            if (act) act(heard);
            else stop.abort();
          },
        },
        onAnnouncement: (announcement) => announced.push(announcement),
        onTrouble: (message) => troubles.push(message),
        onNewNode: () => renewals++,
      },
      stop.signal,
    );
    return { announced, troubles, pauses, renewals };
  }
  const fail = (message: string) => () => {
    throw new ApiFailure(message);
  };

  it('continues after the server ends the watch, and reports the announcement each time', async () => {
    const announce = (generation: string) => (heard: (metadata: NodeMetadata) => void) =>
      heard(metadata({ 'headstart.dev/desired-generation': generation }));
    const { announced, pauses } = await watch(announce('1'), announce('2'));
    expect(announced).toEqual([{ generation: 1 }, { generation: 2 }]);
    expect(pauses.slice(0, 2)).toEqual([1000, 1000]);
  });

  it('waits up to a minute between retries, and reports each reason once', async () => {
    const away = Array.from({ length: 10 }, () => fail('away'));
    const { troubles, pauses } = await watch(...away, fail('forbidden'), (heard) => heard(metadata({})), fail('away'));
    expect(troubles).toEqual(['away', 'forbidden', 'away']);
    expect(pauses.slice(0, 8)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    // The server answered in between, so the pause starts over.
    expect(pauses.at(-2)).toBe(2000);
  });

  it('reports a Node with a new uid, but not the first Node', async () => {
    const { renewals } = await watch(
      (heard) => heard(metadata({})),
      (heard) => heard(metadata({})),
      (heard) => heard({ ...metadata({}), uid: 'another' }),
    );
    expect(renewals).toBe(1);
  });

  it('does not hide a bug', async () => {
    const bug = () => {
      throw new TypeError('bug');
    };
    await expect(watch(bug)).rejects.toThrow('bug');
  });
});
