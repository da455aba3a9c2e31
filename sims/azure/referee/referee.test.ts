import { beforeAll, describe, expect, it } from 'vitest';
import { API_VERSIONS } from '../service/api-versions.ts';
import type { JsonObject } from '../service/json.ts';
import type { HttpExchange } from '../service/listen.ts';
import { findRoute } from '../service/routes.ts';
import { Bench, withExtensions, withVersion } from '../testing.ts';
import { findSpecs } from './find-specs.ts';
import { type Referee, seatReferee } from './referee.ts';
import { isTolerated } from './tolerated.ts';

const SET =
  '/subscriptions/5b2b1c2e-7a0d-4c1e-9d43-0c6f1f6b9a10/resourceGroups/demo/providers/Microsoft.Compute/virtualMachineScaleSets/x';
const exchange = (parts: Partial<HttpExchange>): HttpExchange => ({
  method: 'GET',
  path: SET,
  query: '?api-version=2024-07-01',
  headers: { 'content-type': 'application/json' },
  body: {},
  answer: { status: 200, body: { id: SET, location: 'westeurope' } },
  atMs: 0,
  ...parts,
});

it('a referee without specifications warns that it checked nothing', async () => {
  const lines: string[] = [];
  const referee = await seatReferee({ env: { HEADSTART_AZURE_SPECS: '/nowhere' }, warn: (line) => lines.push(line) });
  referee.check(exchange({}));
  expect(referee.sat).toBe(false);
  expect(lines).toEqual([expect.stringContaining('THE REFEREE DID NOT SIT')]);
  expect(await referee.report()).toMatchObject({ checked: 0, rejected: [], recorded: { heard: 0 } });
});

describe.runIf(findSpecs(process.env) !== undefined)('the referee', () => {
  let fresh: () => Referee;
  beforeAll(async () => {
    const seated = await seatReferee();
    let before = 0;
    fresh = () => ({
      ...seated,
      report: async () => {
        const { rejected, ...rest } = await seated.report();
        const mine = rejected.slice(before);
        before = rejected.length;
        return { ...rest, rejected: mine };
      },
    });
  });

  it('accepts a valid exchange', async () => {
    const referee = fresh();
    referee.check(exchange({ answer: new Bench().ask('GET', 'virtualMachineScaleSets/pool1') }));
    expect((await referee.report()).rejected).toEqual([]);
  });

  it('holds the answer to another api-version to the specification that there is', async () => {
    const referee = fresh();
    const answer = new Bench().ask('GET', 'virtualMachineScaleSets/pool1');
    const query = '?api-version=2026-04-01';
    referee.check(exchange({ query, answer }));
    expect((await referee.report()).rejected).toEqual([]);
    referee.check(exchange({ query, answer: { ...answer, body: { ...answer.body, nonsense: 1 } } }));
    expect((await referee.report()).rejected).toHaveLength(1);
    referee.check(exchange({ query: '?api-version=2026-04-02', answer }));
    expect((await referee.report()).rejected.length).toBeGreaterThan(0);
  });

  it.each<[string, string, JsonObject?]>([
    ['GET', 'virtualMachineScaleSets/pool1/skus'],
    ['GET', 'virtualMachineScaleSets/pool1/virtualMachines/0/extensions'],
    ['GET', 'virtualMachineScaleSets/pool1/virtualMachines/0/extensions/cse'],
    ['POST', 'virtualMachineScaleSets/pool1/reimageall', { instanceIds: ['0'] }],
    ['POST', 'virtualMachineScaleSets/pool1/virtualMachines/0/reimageall'],
    ['PATCH', 'galleries/SIG_demo', { tags: { a: 'b' } }],
    ['PATCH', 'galleries/SIG_demo/images/proto', { tags: { a: 'b' } }],
    ['GET', '(subscription)/locations/westeurope/usages'],
    ['GET', '(subscription)/skus'],
  ])('accepts the answer to %s %s', async (method, target, body = {}) => {
    const referee = fresh();
    const bench = withExtensions();
    withVersion(bench);
    const scope = `/subscriptions/${bench.world.subscriptionId}/providers/Microsoft.Compute`;
    const { pathname: path } = bench.urlOf(target.replace('(subscription)', scope));
    const answer = bench.ask(method, path, { body });
    expect(answer.status).toBeLessThan(300);
    const query = `?api-version=${API_VERSIONS[findRoute(method, path)!.route.provider]}`;
    referee.check(exchange({ method, path, query, body, answer }));
    expect((await referee.report()).rejected).toEqual([]);
  });

  it.each<[string, Partial<HttpExchange>, string, RegExp]>([
    [
      'a field that the specification does not know',
      {
        method: 'PATCH',
        body: { properties: { nonsense: 1 } },
        answer: { status: 200, headers: { 'azure-asyncoperation': 'x' }, body: { location: 'x' } },
      },
      'request',
      /OBJECT_ADDITIONAL_PROPERTIES/,
    ],
    ['a field of the wrong type', { answer: { status: 200, body: { location: 5 } } }, 'answer', /INVALID_TYPE/],
    ['an api-version it does not know', { query: '?api-version=2026-04-02' }, 'request', /OPERATION_NOT_FOUND/],
    [
      'a status that is not declared',
      { method: 'POST', path: `${SET}/virtualMachines/0/deallocate`, answer: { status: 204 } },
      'answer',
      /INVALID_RESPONSE_CODE/,
    ],
    [
      'a bodiless 202 without the headers that lead on',
      { method: 'POST', path: `${SET}/virtualMachines/0/deallocate`, answer: { status: 202 } },
      'answer',
      /Azure-AsyncOperation/,
    ],
    [
      'an error that is not in the envelope',
      {
        path: SET.replace('virtualMachineScaleSets', 'snapshots'),
        query: '?api-version=2024-03-02',
        answer: { status: 404, body: { code: 'NotFound' } },
      },
      'answer',
      /without an error/,
    ],
    [
      'an answer without what every recorded one has',
      { answer: { status: 200, body: { id: SET, location: 'westeurope' } } },
      'answer',
      /every recorded answer has \/etag/,
    ],
    [
      'an operation in a state that does not exist',
      {
        path: '/subscriptions/s/providers/Microsoft.Compute/locations/westeurope/operations/1',
        answer: { status: 200, body: { status: 'Done', name: '1', startTime: 'x' } },
      },
      'answer',
      /operation status/,
    ],
  ])('rejects %s', async (_, parts, side, finding) => {
    const referee = fresh();
    referee.check(exchange(parts));
    const { rejected } = await referee.report();
    expect(rejected.find((one) => one.side === side)?.findings.join('\n')).toMatch(finding);
  });
});

it('tolerates only what recordings of the real service show', () => {
  const extra = (name: string) => ({
    code: 'OBJECT_ADDITIONAL_PROPERTIES',
    paths: [`/properties/${name}`],
    message: `Additional properties not allowed: ${name}`,
  });
  expect(isTolerated(extra('resilientVMDeletionStatus'))).toBe(true);
  expect(isTolerated(extra('surprise'))).toBe(false);
  expect(isTolerated({ ...extra('resilientVMDeletionStatus'), code: 'INVALID_TYPE' })).toBe(false);
});
