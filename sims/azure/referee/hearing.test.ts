import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../service/json.ts';
import type { HttpExchange } from '../service/listen.ts';
import { openHearing } from './hearing.ts';
import type { RecordedExchange } from './recordings.ts';
import { makeWitness } from './witness.ts';

const GROUP = '/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute';
const recorded = (parts: Partial<RecordedExchange>): RecordedExchange => ({
  method: 'GET',
  url: `${GROUP}/snapshots/one?api-version=2023-10-02`,
  requestBody: null,
  status: 200,
  headers: {},
  body: { name: 'one', properties: { diskSizeGB: 30 }, tags: { any: 'key' } },
  ...parts,
});
const exchange = (answer: JsonObject, parts: Partial<HttpExchange> = {}): HttpExchange => ({
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
  it('rejects missing fields and other types, and counts unrecorded fields', () => {
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
