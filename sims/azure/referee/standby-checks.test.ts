import { describe, expect, it } from 'vitest';
import type { ArmAnswer } from '../service/call.ts';
import { ensureObject, type JsonObject } from '../service/json.ts';
import type { HttpExchange } from '../service/listen.ts';
import { StandbyBench } from '../standby/standby.testing.ts';
import { findSpecs } from './find-specs.ts';
import { readStandbyTypes, standbyFindings } from './standby-checks.ts';

const specs = findSpecs(process.env);
const types = specs === undefined ? undefined : readStandbyTypes(specs);
if (!types)
  process.stderr.write('NOT CHECKED: exchanges with Microsoft.StandbyPool, for lack of its generated types\n');

describe.runIf(types !== undefined)('an exchange with Microsoft.StandbyPool', () => {
  const pool = () => {
    const bench = new StandbyBench();
    bench.put();
    return bench;
  };
  const check = (
    bench: StandbyBench,
    method: string,
    path: string,
    change: (one: HttpExchange) => object = () => ({}),
  ) => {
    const body = method === 'PUT' || method === 'PATCH' ? bench.body({}) : {};
    const answer = bench.ask(method, path, { body });
    const one: HttpExchange = { method, path, query: '', headers: {}, body, answer, atMs: 0 };
    change(one);
    return standbyFindings(types!, one);
  };

  it.each([
    ['PUT', ''],
    ['GET', ''],
    ['PATCH', ''],
    ['GET', '/runtimeViews/latest'],
    ['GET', '/runtimeViews'],
    ['GET', '/standbyVirtualMachines'],
    ['GET', '/runtimeViews/none'],
    ['DELETE', ''],
  ])('is fine: %s %s', (method, more) => {
    const bench = pool();
    expect(check(bench, method, bench.poolPath(more))).toEqual({ request: [], answer: [] });
  });

  const properties = (document: JsonObject | null | undefined) => ensureObject(document ?? {}, 'properties');

  it.each<[string, string, (one: HttpExchange) => object]>([
    [
      'PUT',
      'a text for a number',
      ({ body }) => Object.assign(ensureObject(body, 'properties', 'elasticityProfile'), { maxReadyCapacity: '3' }),
    ],
    ['PUT', 'a read-only field', ({ body }) => Object.assign(properties(body), { provisioningState: 'Succeeded' })],
    ['PUT', 'no region', ({ body }) => Object.assign(body, { location: undefined })],
    ['PUT', 'an operation', ({ answer }) => setHeader(answer, 'azure-asyncoperation', 'https://other')],
    ['PUT', '201', ({ answer }) => Object.assign(answer, { status: 201 })],
    ['GET', 'an unknown field', ({ answer }) => Object.assign(properties(answer.body), { colour: 'red' })],
    ['GET', 'no state', ({ answer }) => Object.assign(properties(answer.body), { virtualMachineState: undefined })],
    ['DELETE', 'two URLs', ({ answer }) => setHeader(answer, 'location', 'https://other')],
  ])('is not fine: %s with %s', (method, _, change) => {
    const bench = pool();
    const { request, answer } = check(bench, method, bench.poolPath(), change);
    expect([...request, ...answer]).toHaveLength(1);
  });
});

function setHeader(answer: ArmAnswer, name: string, value: string): object {
  return Object.assign(answer, { headers: { ...answer.headers, [name]: value } });
}
