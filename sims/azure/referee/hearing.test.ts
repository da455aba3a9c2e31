import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../service/json.ts';
import type { Exchange } from '../service/listen.ts';
import { openHearing } from './hearing.ts';
import type { Recorded } from './recordings.ts';
import { makeWitness } from './witness.ts';

const GROUP = '/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute';
const recorded = (parts: Partial<Recorded>): Recorded => ({
  method: 'GET',
  url: `${GROUP}/snapshots/one?api-version=2023-10-02`,
  requestBody: null,
  status: 200,
  headers: {},
  body: { name: 'one', properties: { diskSizeGB: 30 }, tags: { any: 'key' } },
  ...parts,
});
const exchange = (answer: JsonObject, parts: Partial<Exchange> = {}): Exchange => ({
  method: 'GET',
  path: `${GROUP}/Snapshots/other`,
  query: '',
  headers: {},
  body: {},
  answer: { status: 200, body: answer },
  atMs: 0,
  ...parts,
});
describe('a hearing', () => {
  it('rejects what is missing or of another type, and counts what nobody recorded', () => {
    const hearing = openHearing(makeWitness([recorded({})]));
    const rejected = hearing.hear(exchange({ name: 5, properties: { diskSizeGB: 1, extra: true } }));
    expect(rejected).toEqual([
      {
        exchange: `GET ${GROUP}/Snapshots/other → 200`,
        side: 'answer',
        findings: ['no recording has this type of /name', 'every recorded answer has /tags'],
      },
    ]);
    expect(hearing.report()).toMatchObject({
      heard: 1,
      leftOut: [],
      unrecorded: ['GET snapshots/{snapshot} 200 answer /properties/extra'],
    });
  });
});
