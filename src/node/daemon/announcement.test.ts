import { describe, expect, it } from 'vitest';
import { FAST_FOR_MS } from '../triggers/poll.ts';
import { noteIfOverdue, onAnnounced, withoutArrivedAnnouncement } from './announcement.ts';
import { aState, START } from './states.testing.ts';

const codes = (state: ReturnType<typeof aState>) => state.notes.map(({ code }) => code);

describe('an announcement', () => {
  const waiting = onAnnounced(aState(), { generation: 2 }, START);

  it('makes the daemon fetch now, and more often for a while', () => {
    expect(waiting.announced).toMatchObject({ generation: 2, byMs: START + FAST_FOR_MS, isOverdue: false });
    expect(waiting.due).toMatchObject({ fetchMs: START, fastUntilMs: START + FAST_FOR_MS });
  });

  it('that is repeated changes nothing', () => {
    expect(onAnnounced(waiting, { generation: 2 }, START + 9)).toBe(waiting);
  });

  it.each([
    ['already runs', { generation: 1 }],
    ['has run before', { generation: 0 }],
    ['already runs, by its hash', { generation: 7, documentHash: 'document-1' }],
  ])('of a document that the node %s is ignored', (_, announcement) => {
    expect(onAnnounced(aState(), announcement, START).announced).toBeUndefined();
  });

  it('is compared by hash if it has one, not by generation', () => {
    const state = onAnnounced(aState(), { generation: 1, documentHash: 'another' }, START);
    expect(state.announced?.documentHash).toBe('another');
  });

  it('that is overdue adds one note', () => {
    expect(noteIfOverdue(waiting, START + FAST_FOR_MS - 1)).toBe(waiting);
    const late = noteIfOverdue(waiting, START + FAST_FOR_MS);
    expect(codes(late)).toEqual(['config/announced-not-delivered']);
    expect(noteIfOverdue(late, START + 2 * FAST_FOR_MS)).toBe(late);
  });

  it('and its note are removed when the document arrives', () => {
    const late = noteIfOverdue(waiting, START + FAST_FOR_MS);
    expect(withoutArrivedAnnouncement(late, { generation: 1 })).toBe(late);
    const delivered = withoutArrivedAnnouncement(late, { generation: 2, documentHash: 'x' });
    expect([delivered.announced, codes(delivered)]).toEqual([undefined, []]);
  });

  it('of another document removes the note of the previous one', () => {
    const late = noteIfOverdue(waiting, START + FAST_FOR_MS);
    const next = onAnnounced(late, { generation: 3 }, START + FAST_FOR_MS);
    expect([next.announced?.generation, codes(next)]).toEqual([3, []]);
  });
});
