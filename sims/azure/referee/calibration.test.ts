// The simulator compared with recordings of the real service: same status, same headers, same shapes.
import { describe, expect, it } from 'vitest';
import type { ArmAnswer } from '../service/call.ts';
import { isObject } from '../service/json.ts';
import type { HttpExchange } from '../service/listen.ts';
import { StandbyBench } from '../standby/standby.testing.ts';
import { type Ask, Bench, DEFINITION, versionBody, withVersion } from '../testing.ts';
import { findSpecs } from './find-specs.ts';
import { openHearing } from './hearing.ts';
import { type RecordedExchange, readRecordings } from './recordings.ts';
import { makeWitness } from './witness.ts';

const specs = findSpecs(process.env);
const recordings = specs === undefined ? [] : readRecordings(specs);
if (recordings.length === 0)
  process.stderr.write(
    'THE SECOND REFEREE DID NOT SIT: no recorded traffic; the simulator was not held against the real service\n',
  );
const hearing = openHearing(makeWitness(recordings));
const LEADING_ON = ['azure-asyncoperation', 'location', 'etag', 'azure-asyncnotification'];

const SNAPSHOT = (bench: Bench): Ask => ({
  body: {
    location: 'westeurope',
    tags: {},
    properties: {
      incremental: true,
      creationData: { createOption: 'Copy', sourceResourceId: bench.instances()[0]!.osDiskId },
    },
  },
});
const S = 'virtualMachineScaleSets/pool1';
const V = 'galleries/SIG_demo/images/proto/versions';

type Comparison = [method: string, recorded: RegExp, status: number, path: string, ask: (bench: Bench) => Ask];

/** Requests to the simulator, and the recordings to compare the answers with. */
const cases: Comparison[] = [
  ['GET', /\/virtualMachineScaleSets\/[^/]+$/, 200, S, () => ({})],
  ['PUT', /\/virtualMachineScaleSets\/[^/]+$/, 200, S, () => ({ body: { location: 'westeurope' } })],
  ['PATCH', /\/virtualMachineScaleSets\/[^/]+$/, 200, S, () => ({ body: { tags: {} } })],
  ['DELETE', /\/virtualMachineScaleSets\/[^/]+$/, 202, S, () => ({})],
  ['GET', /\/virtualMachineScaleSets\/[^/]+\/instanceView$/, 200, `${S}/instanceView`, () => ({})],
  ['GET', /\/virtualMachines\/[^/]+\/instanceView$/, 200, `${S}/virtualMachines/0/instanceView`, () => ({})],
  ['POST', /\/virtualMachineScaleSets\/[^/]+\/start$/, 202, `${S}/start`, () => ({ body: { instanceIds: ['0'] } })],
  [
    'POST',
    /\/virtualMachineScaleSets\/[^/]+\/poweroff$/,
    202,
    `${S}/poweroff`,
    () => ({ body: { instanceIds: ['0'] } }),
  ],
  ['POST', /\/virtualMachineScaleSets\/[^/]+\/delete$/, 202, `${S}/delete`, () => ({ body: { instanceIds: ['0'] } })],
  [
    'POST',
    /\/virtualMachineScaleSets\/[^/]+\/virtualMachines\/[^/]+\/deallocate$/,
    202,
    `${S}/virtualMachines/0/deallocate`,
    () => ({}),
  ],
  ['GET', /\/virtualMachineScaleSets\/[^/]+$/, 404, 'virtualMachineScaleSets/none', () => ({})],
  ['GET', /\/virtualMachines\/[^/]+\/instanceView$/, 404, `${S}/virtualMachines/77/instanceView`, () => ({})],
  ['PUT', /\/snapshots\/[^/]+$/, 202, 'snapshots/other', SNAPSHOT],
  ['GET', /\/snapshots\/[^/]+$/, 200, 'snapshots/incremental', () => ({})],
  ['GET', /\/snapshots\/[^/]+$/, 404, 'snapshots/none', () => ({})],
  ['GET', /\/disks\/[^/]+$/, 200, '(a disk)', () => ({})],
  ['PUT', /\/galleries\/[^/]+$/, 201, 'galleries/SIG_new', () => ({ body: { location: 'westeurope' } })],
  ['GET', /\/galleries\/[^/]+$/, 200, 'galleries/SIG_demo', () => ({})],
  ['DELETE', /\/galleries\/[^/]+$/, 202, 'galleries/SIG_empty', () => ({})],
  [
    'PUT',
    /\/galleries\/[^/]+\/images\/[^/]+$/,
    201,
    'galleries/SIG_demo/images/new',
    () => ({
      body: {
        location: 'westeurope',
        tags: {},
        properties: { ...DEFINITION, identifier: { publisher: 'a', offer: 'b', sku: 'c' } },
      },
    }),
  ],
  ['GET', /\/galleries\/[^/]+\/images\/[^/]+$/, 200, 'galleries/SIG_demo/images/proto', () => ({})],
  ['PUT', /\/versions\/[^/]+$/, 201, `${V}/1.0.0`, (bench) => ({ body: versionBody(bench) })],
  ['PUT', /\/versions\/[^/]+$/, 200, `${V}/2026.11.15`, (bench) => ({ body: versionBody(bench) })],
  ['GET', /\/versions\/[^/]+$/, 200, `${V}/2026.11.15`, () => ({})],
  ['DELETE', /\/versions\/[^/]+$/, 202, `${V}/2026.11.15`, () => ({})],
  ['DELETE', /\/galleries\/[^/]+\/images\/[^/]+$/, 202, 'galleries/SIG_demo/images/empty', () => ({})],
  ['GET', /\/virtualMachineScaleSets$/, 200, 'virtualMachineScaleSets', () => ({})],
  ['GET', /\/virtualMachineScaleSets\/[^/]+\/virtualMachines$/, 200, `${S}/virtualMachines`, () => ({})],
  ['GET', /\/galleries$/, 200, 'galleries', () => ({})],
  ['GET', /\/galleries\/[^/]+\/images$/, 200, 'galleries/SIG_demo/images', () => ({})],
  ['GET', /\/versions$/, 200, V, () => ({})],
  ...(['deallocate', 'restart', 'reimage', 'manualupgrade'] as const).map(
    (action): Comparison => [
      'POST',
      new RegExp(`/virtualMachineScaleSets/[^/]+/${action}$`),
      202,
      `${S}/${action}`,
      () => ({ body: { instanceIds: ['0'] } }),
    ],
  ),
  [
    'PUT',
    /\/disks\/[^/]+$/,
    202,
    'disks/new',
    () => ({
      body: {
        location: 'westeurope',
        tags: {},
        properties: { creationData: { createOption: 'Empty' }, diskSizeGB: 10 },
      },
    }),
  ],
];

describe.runIf(recordings.length > 0)('the simulator answers as the recorded service did:', () => {
  it.each(cases)('%s %s %i', (method, pattern, status, path, ask) => {
    const real = recorded(method, pattern, status);
    expect(real.length).toBeGreaterThan(0);
    const bench = new Bench();
    withVersion(bench);
    bench.askAndWait('PUT', 'galleries/SIG_empty', { body: { location: 'westeurope' } });
    bench.askAndWait('PUT', 'galleries/SIG_demo/images/empty', {
      body: {
        location: 'westeurope',
        properties: { ...DEFINITION, identifier: { publisher: 'x', offer: 'y', sku: 'z' } },
      },
    });
    bench.askAndWait('PUT', 'snapshots/incremental', SNAPSHOT(bench));
    const target = path === '(a disk)' ? bench.instances()[0]!.osDiskId! : path;
    compare(bench, method, target, ask(bench), real);
  });

  it.each([
    ['operations', 'POST', `${S}/virtualMachines/0/poweroff`, () => ({})],
    ['DiskOperations', 'PUT', 'snapshots/other', SNAPSHOT],
    ['capsOperations', 'PUT', 'galleries/SIG_new', () => ({ body: { location: 'westeurope' } })],
  ] as [string, string, string, (bench: Bench) => Ask][])('polls of %s', (kind, method, path, ask) => {
    const bench = new Bench();
    const url = bench.ask(method, path, ask(bench)).headers!['azure-asyncoperation']!;
    const real = recordings.filter(
      ({ url: one }) => one.includes(`/${kind}/`) && !one.includes('monitor=true') && !one.includes('runCommand'),
    );
    const inState = (state: string) => real.filter(({ body }) => isObject(body) && body.status === state);
    compare(bench, 'GET', url, {}, inState('InProgress').length > 0 ? inState('InProgress') : real);
    bench.nowMs += 600_000;
    compare(bench, 'GET', url, {}, inState('Succeeded'));
  });

  it.each([
    ['PUT', /standbyVirtualMachinePools\/[^/]+$/, 200, ''],
    ['GET', /standbyVirtualMachinePools\/[^/]+$/, 200, ''],
    ['GET', /standbyVirtualMachinePools$/, 200, '..'],
    ['GET', /runtimeViews\/latest$/, 200, '/runtimeViews/latest'],
    ['DELETE', /standbyVirtualMachinePools\/[^/]+$/, 202, ''],
  ] as const)('%s %s %i', (method, pattern, status, more) => {
    const bench = new StandbyBench();
    bench.put();
    const target = more === '..' ? bench.poolPath().replace(/\/warm$/, '') : bench.poolPath(more);
    const profile = { maxReadyCapacity: 3, minReadyCapacity: 3, postProvisioningDelay: 'PT2S' };
    const elasticityProfile = { ...profile, dynamicSizing: { enabled: true } };
    const body = { body: bench.body({ elasticityProfile }) };
    bench.ask('PUT', bench.poolPath(), body);
    compare(bench, method, target, method === 'PUT' ? body : {}, recorded(method, pattern, status));
  });

  it('polls of the deletion of a standby pool', () => {
    const bench = new StandbyBench();
    bench.put();
    const url = bench.ask('DELETE', bench.poolPath()).headers!.location!;
    const polls = (status: number) => recorded('GET', /operationStatuses\//, status);
    compare(bench, 'GET', url, {}, polls(202));
    bench.nowMs += 600_000;
    compare(bench, 'GET', url, {}, polls(200));
  });

  it('in every recorded field, except those with a listed reason', () => {
    const { heard, fields, leftOut, unrecorded } = hearing.report();
    process.stderr.write(
      `recordings: ${heard} kinds of exchange, ${fields} fields compared: ${leftOut.length} left out for a reason, ${unrecorded.length} never recorded\n`,
    );
    expect(heard).toBe(cases.length + 6 + 7);
    expect(fields).toBeGreaterThan(300);
  });
});

function recorded(method: string, pattern: RegExp, status: number): RecordedExchange[] {
  return recordings.filter(
    (one) => one.method === method && one.status === status && pattern.test(new URL(one.url, 'https://x').pathname),
  );
}

function compare(bench: Bench, method: string, target: string, ask: Ask, real: RecordedExchange[]): void {
  const answer = bench.ask(method, target, ask);
  expect(answer.status).toBe(real[0]!.status);
  for (const name of LEADING_ON) {
    const has = answer.headers?.[name] !== undefined;
    const had = real.map(({ headers }) => headers[name] !== undefined);
    expect(had, `header ${name}: ${has}`).toContain(has);
  }
  const before = hearing.report().heard;
  expect(hearing.hear(exchangeOf(bench, method, target, ask, answer))).toEqual([]);
  expect(hearing.report().heard).toBe(before + 1);
}

function exchangeOf(bench: Bench, method: string, target: string, ask: Ask, answer: ArmAnswer): HttpExchange {
  const { pathname: path, search: query } = bench.urlOf(target);
  return { method, path, query, headers: {}, body: ask.body ?? {}, answer, atMs: bench.nowMs };
}
