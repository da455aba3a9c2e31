import { expect, it } from 'vitest';
import { parseRecordings } from './recordings.ts';

it('reads both forms of recordings as the same exchange', () => {
  const flat = { method: 'GET', url: '/x?api-version=1', requestBody: null, status: 200, headers: {}, body: { a: 1 } };
  const apart = {
    request: { method: 'GET', uri: 'https://management.azure.com/x?api-version=1' },
    response: { status: 200, headers: {}, body: { a: 1 } },
  };
  expect(parseRecordings(JSON.stringify([flat, apart]), 'x.json')).toEqual([flat, flat]);
});

it('names the file and the exchange of an unknown form', () => {
  expect(() => parseRecordings('[{"status":200}]', 'x.json')).toThrow('x.json: exchange 0 has neither');
});
