import { describe, expect, it } from 'vitest';
import type { ArmAnswer } from '../service/call.ts';
import type { HttpExchange } from '../service/listen.ts';
import { isOperationPoll, ownFindings } from './own-checks.ts';

const POLL = '/subscriptions/s/providers/Microsoft.Compute/locations/westeurope/operations/1';
const findings = (method: string, answer: ArmAnswer, more: Partial<HttpExchange> = {}) =>
  ownFindings({ method, path: '/x', query: '', headers: {}, body: {}, atMs: 0, answer, ...more });
const ASYNC = { 'azure-asyncoperation': 'https://x' };
const ERROR = { error: { code: 'Conflict', message: 'busy' } };

describe('an answer that begins an operation', () => {
  it.each<[string, ArmAnswer, string[]]>([
    ['has the header of the operation', { status: 200 }, ['no Azure-AsyncOperation header']],
    ['has a Location with 202', { status: 202, headers: ASYNC }, ['202 without a Location header']],
    ['has no Location with 200', { status: 200, headers: { ...ASYNC, location: 'x' } }, ['200 with a Location header']],
    ['is fine with both', { status: 202, headers: { ...ASYNC, location: 'x' } }, []],
    ['needs nothing when there was nothing to do', { status: 204 }, []],
  ])('%s', (_, answer, expected) => {
    expect(findings('DELETE', answer)).toEqual(expected);
  });

  it('is never the answer to a GET', () => {
    expect(findings('GET', { status: 200 })).toEqual([]);
  });
});

describe('rights and locks', () => {
  const provider = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Authorization';
  const lock = { id: `${provider}/locks/keep`, properties: { level: 'ReadOnly' } };
  it.each([
    ['permissions', { value: [{ actions: ['*'], notActions: [] }] }, 0],
    ['permissions', { value: [{ actions: ['*'] }] }, 1],
    ['permissions', { value: [{ actions: [1], notActions: [] }] }, 1],
    ['permissions', {}, 1],
    ['locks', { value: [] }, 0],
    ['locks', { value: [lock] }, 0],
    ['locks', { value: [{ ...lock, properties: { level: 'Closed' } }] }, 1],
    ['locks', { value: [{ ...lock, id: 'keep' }] }, 1],
  ])('of %s as %j have %i findings', (kind, body, count) => {
    expect(findings('GET', { status: 200, body }, { path: `${provider}/${kind}` })).toHaveLength(count);
  });
});

describe('a poll of an operation', () => {
  const poll = (answer: ArmAnswer, query = '') => findings('GET', answer, { path: POLL, query });
  const body = { name: '1', startTime: 't', status: 'Succeeded' };

  it('is recognised by its path, in any case', () => {
    expect([POLL, POLL.replace('operations', 'diskoperations'), `${POLL}/x`].map(isOperationPoll)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('has a known status, a name and a start; a failure has a code', () => {
    expect(poll({ status: 200, body })).toEqual([]);
    expect(poll({ status: 200, body: { status: 'Done' } })).toEqual([
      "operation status 'Done'",
      'an operation without a name',
      'an operation without a start',
    ]);
    expect(poll({ status: 200, body: { ...body, status: 'Failed' } })).toEqual(['failed without a code']);
    expect(poll({ status: 200, body: { ...body, status: 'Failed', ...ERROR } })).toEqual([]);
  });

  it('of the Location has no such body', () => {
    expect(poll({ status: 202 }, '?monitor=true')).toEqual([]);
  });
});

describe('an error', () => {
  it.each([{}, { error: 'x' }, { error: { code: 'x' } }])('%j is not the envelope that ARM prescribes', (body) => {
    expect(findings('GET', { status: 404, body })).toEqual(['404 without an error of code and message']);
    expect(findings('GET', { status: 404, body }, { path: POLL })).toHaveLength(1);
  });

  it('has a code and a message', () => {
    expect(findings('PUT', { status: 409, body: ERROR })).toEqual([]);
  });
});
