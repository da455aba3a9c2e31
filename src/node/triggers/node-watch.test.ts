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

describe('an announcement on the Node', () => {
  it('is a generation, and a hash where there is one', () => {
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
  ])('is none when it says %o', (annotations) => {
    expect(announcementIn(metadata(annotations))).toBeUndefined();
  });
});

describe('watching the Node', () => {
  /** Each watch does what its turn says; after the last the test stops it. */
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

  it('goes on after the server ended it, and tells what is announced each time', async () => {
    const announce = (generation: string) => (heard: (metadata: NodeMetadata) => void) =>
      heard(metadata({ 'headstart.dev/desired-generation': generation }));
    const { announced, pauses } = await watch(announce('1'), announce('2'));
    expect(announced).toEqual([{ generation: 1 }, { generation: 2 }]);
    expect(pauses.slice(0, 2)).toEqual([1000, 1000]);
  });

  it('waits longer and longer for a server that is not there, a minute at most, and says each reason once', async () => {
    const away = Array.from({ length: 10 }, () => fail('away'));
    const { troubles, pauses } = await watch(...away, fail('forbidden'), (heard) => heard(metadata({})), fail('away'));
    expect(troubles).toEqual(['away', 'forbidden', 'away']);
    expect(pauses.slice(0, 8)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    // It was there in between, so it may be there soon again.
    expect(pauses.at(-2)).toBe(2000);
  });

  it('tells when another object bears the name, and not that there is one at all', async () => {
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
