import { describe, expect, it } from 'vitest';
import { memoryInput } from '../../../load/input.ts';
import { readDump } from './read-dump.ts';

const read = (content: unknown) =>
  readDump(memoryInput('d.json', typeof content === 'string' ? content : JSON.stringify(content)));
const start = { name: 'init-local', event_type: 'start', timestamp: 1.5, description: 'x' };

describe('readDump', () => {
  it('gives starts and finishes with their fields', () => {
    const finish = { ...start, event_type: 'finish', timestamp: 2.25, result: 'WARN', level: 'DEBUG' };
    expect(read([start, finish])).toEqual({
      events: [
        { kind: 'start', atUs: 1.5e6, name: 'init-local', description: 'x' },
        { kind: 'finish', atUs: 2.25e6, name: 'init-local', description: 'x', level: 'DEBUG', result: 'WARN' },
      ],
      notes: [],
    });
  });

  it('warns about entries that are not events, with the numbers of the first three', () => {
    const bad = [
      null,
      5,
      { ...start, name: '' },
      { ...start, timestamp: null },
      { ...start, timestamp: 'soon' },
      { ...start, event_type: 'other' },
      { ...start, description: 5 },
    ];
    const { events, notes } = read([start, ...bad]);
    expect(events).toHaveLength(1);
    expect(notes.map(({ text }) => text)).toEqual(['d.json: entry 2, 3, 4 and 4 more is not an event; skipped']);
  });

  it('accepts a time as text, and a missing description', () => {
    const { description: _, ...bare } = start;
    expect(read([{ ...bare, timestamp: '1.5' }]).events).toMatchObject([{ atUs: 1.5e6, description: '' }]);
  });

  it('gives no events if the JSON is not a list', () => {
    expect(read({}).notes[0]!.text).toBe('d.json: not a list of events');
  });

  it('gives the complete entries of a truncated dump', () => {
    const { events, notes } = read(`[${JSON.stringify(start)}, {bad}, {"name": "x`);
    expect(events).toHaveLength(1);
    expect(notes[0]!.text).toContain('damaged JSON of 1 lines; 1 complete events were read');
  });
});
