import { describe, expect, it } from 'vitest';
import { type Ask, Bench, DEFINITION, versionBody, withVersion } from '../testing.ts';
import { stringAt } from './json.ts';

/** The recorded table: first answer, whether it has a body and in which state, and which headers lead to the operation. */
const recorded: [
  string,
  string,
  string,
  (bench: Bench) => Ask,
  { status: number; state?: string; location: boolean },
][] = [
  [
    'a stop of one instance',
    'POST',
    'virtualMachineScaleSets/pool1/virtualMachines/0/poweroff',
    () => ({}),
    { status: 202, location: true },
  ],
  [
    'a deallocation',
    'POST',
    'virtualMachineScaleSets/pool1/virtualMachines/0/deallocate',
    () => ({}),
    { status: 202, location: true },
  ],
  [
    'a start of the whole set',
    'POST',
    'virtualMachineScaleSets/pool1/start',
    () => ({ body: { instanceIds: ['*'] } }),
    { status: 202, location: true },
  ],
  [
    'a reimage',
    'POST',
    'virtualMachineScaleSets/pool1/reimage',
    () => ({ body: { instanceIds: ['1'] } }),
    { status: 202, location: true },
  ],
  [
    'a manual upgrade',
    'POST',
    'virtualMachineScaleSets/pool1/manualupgrade',
    () => ({ body: { instanceIds: ['1'] } }),
    { status: 202, location: true },
  ],
  [
    'a PUT on an existing set',
    'PUT',
    'virtualMachineScaleSets/pool1',
    () => ({ body: { location: 'westeurope' } }),
    { status: 200, state: 'Updating', location: false },
  ],
  [
    'a PATCH of a set',
    'PATCH',
    'virtualMachineScaleSets/pool1',
    () => ({ body: { tags: {} } }),
    { status: 200, state: 'Updating', location: false },
  ],
  [
    'a PUT of an instance',
    'PUT',
    'virtualMachineScaleSets/pool1/virtualMachines/0',
    () => ({ body: { location: 'westeurope' } }),
    { status: 200, state: 'Updating', location: false },
  ],
  [
    'a new snapshot',
    'PUT',
    'snapshots/other',
    (bench) => ({
      body: {
        location: 'westeurope',
        properties: { creationData: { createOption: 'Copy', sourceResourceId: bench.instances()[0]!.osDiskId } },
      },
    }),
    { status: 202, state: 'Updating', location: true },
  ],
  [
    'a new gallery',
    'PUT',
    'galleries/SIG_other',
    () => ({ body: { location: 'westeurope' } }),
    { status: 201, state: 'Creating', location: false },
  ],
  [
    'a new definition',
    'PUT',
    'galleries/SIG_demo/images/other',
    () => ({
      body: {
        location: 'westeurope',
        properties: { ...DEFINITION, identifier: { publisher: 'a', offer: 'b', sku: 'c' } },
      },
    }),
    { status: 201, state: 'Creating', location: false },
  ],
  [
    'a new version',
    'PUT',
    'galleries/SIG_demo/images/proto/versions/2026.11.16',
    (bench) => ({ body: versionBody(bench) }),
    { status: 201, state: 'Creating', location: false },
  ],
  [
    'a changed version',
    'PATCH',
    'galleries/SIG_demo/images/proto/versions/2026.11.15',
    () => ({ body: { tags: { a: 'b' } } }),
    { status: 200, state: 'Updating', location: false },
  ],
  [
    'a deleted version',
    'DELETE',
    'galleries/SIG_demo/images/proto/versions/2026.11.15',
    () => ({}),
    { status: 202, location: true },
  ],
  ['a deleted snapshot', 'DELETE', 'snapshots/snap', () => ({}), { status: 202, location: true }],
  ['a deleted set', 'DELETE', 'virtualMachineScaleSets/pool1', () => ({}), { status: 202, location: true }],
];

describe('long-running operations answer as recorded:', () => {
  it.each(recorded)('%s', (_, method, path, ask, expected) => {
    const bench = new Bench();
    withVersion(bench);
    const answer = bench.ask(method, path, ask(bench));
    expect(answer.status).toBe(expected.status);
    expect(stringAt(answer.body, 'properties', 'provisioningState')).toBe(expected.state);
    expect(answer.headers?.['azure-asyncoperation']).toMatch(
      /^https:.+\/locations\/westeurope\/(operations|DiskOperations|capsOperations)\/[-0-9a-f]{36}\?.*api-version=/,
    );
    expect(answer.headers?.location !== undefined).toBe(expected.location);
    if (expected.location) expect(answer.headers?.location).toContain('monitor=true');
  });
});

describe('an operation', () => {
  const stop = 'virtualMachineScaleSets/pool1/virtualMachines/0/powerOff';

  it('runs with the clock, and takes effect when it ends', () => {
    const bench = new Bench();
    const url = bench.ask('POST', stop).headers!['azure-asyncoperation']!;
    const seen = [10, 10, 10].map((seconds) => {
      bench.nowMs += seconds * 1000;
      return [bench.ask('GET', url).body?.status, bench.instances()[0]!.power];
    });
    expect(seen).toEqual([
      ['InProgress', 'stopping'],
      ['InProgress', 'stopping'],
      ['Succeeded', 'stopped'],
    ]);
    expect(bench.violations).toEqual([]);
  });

  it('notices a poll before its hint', () => {
    const bench = new Bench();
    const url = bench.ask('POST', stop).headers!['azure-asyncoperation']!;
    bench.nowMs += 3000;
    bench.ask('GET', url);
    expect(bench.violations).toEqual(['polled 7000 ms before the hint']);
  });

  it('says 202 on its Location while it runs, then 200', () => {
    const bench = new Bench();
    const url = bench.ask('POST', stop).headers!.location!;
    expect(bench.ask('GET', url)).toMatchObject({ status: 202 });
    bench.nowMs += 60_000;
    expect(bench.ask('GET', url).status).toBe(200);
  });

  it.each([
    ['failed', 'Failed', 'running'],
    ['failed-but-applied', 'Failed', 'stopped'],
    ['succeeded-but-not-applied', 'Succeeded', 'running'],
    ['as-asked', 'Succeeded', 'stopped'],
  ] as const)('dialled %s ends %s with the instance %s', (fate, status, power) => {
    const bench = new Bench();
    const end = bench.askAndWait('POST', stop, { strike: { fate } });
    expect([end.body?.status, bench.instances()[0]!.power]).toEqual([status, power]);
    if (status === 'Failed') expect(stringAt(end.body, 'error', 'code')).toBe('InternalExecutionError');
  });

  it('done twice is done once', () => {
    const bench = new Bench();
    bench.askAndWait('POST', stop);
    expect(bench.askAndWait('POST', stop).body?.status).toBe('Succeeded');
    expect(bench.instances()[0]!.power).toBe('stopped');
  });
});

describe('power', () => {
  const act = (bench: Bench, action: string, strike = {}) =>
    bench.askAndWait('POST', `virtualMachineScaleSets/pool1/virtualMachines/0/${action}`, { strike });

  it('finds no place only for what gave its place up, and only when so dialled', () => {
    const bench = new Bench();
    const noPlace = { fate: 'allocation-failed' as const };
    act(bench, 'powerOff');
    expect(act(bench, 'start', noPlace).body?.status).toBe('Succeeded');
    act(bench, 'deallocate');
    const failed = act(bench, 'start', noPlace);
    expect([stringAt(failed.body, 'error', 'code'), bench.instances()[0]!.power]).toEqual([
      'AllocationFailed',
      'deallocated',
    ]);
    expect(act(bench, 'start').body?.status).toBe('Succeeded');
    expect(bench.instances()[0]!.power).toBe('running');
  });

  it('never stops an instance on an ephemeral disk', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 1, ephemeral: true }] });
    for (const action of ['powerOff', 'deallocate']) {
      const answer = act(bench, action);
      expect([answer.status, stringAt(answer.body, 'error', 'code')]).toEqual([409, 'OperationNotAllowed']);
    }
  });

  it('leaves protected instances alone when the whole set is stopped', () => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/0', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleSetActions: true } } },
    });
    bench.askAndWait('POST', 'virtualMachineScaleSets/pool1/powerOff', { body: { instanceIds: ['*'] } });
    expect(bench.instances().map(({ power }) => power)).toEqual(['running', 'stopped']);
  });

  it('of a Flexible set is a matter of its virtual machines', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 1, mode: 'Flexible' }] });
    const { name } = bench.instances()[0]!;
    const refused = bench.ask('POST', `virtualMachineScaleSets/pool1/virtualMachines/${name}/powerOff`);
    expect([refused.status, stringAt(refused.body, 'error', 'code')]).toEqual([409, 'OperationNotAllowed']);
    expect(bench.askAndWait('POST', `virtualMachines/${name}/powerOff`).body?.status).toBe('Succeeded');
    expect(bench.instances()[0]!.power).toBe('stopped');
  });
});
