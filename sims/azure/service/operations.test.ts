import { describe, expect, it } from 'vitest';
import { type Ask, Bench, DEFINITION, versionBody, withVersion } from '../testing.ts';
import { type JsonObject, objectAt, stringAt } from './json.ts';

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

  it('follows the clock, and takes effect when it ends', () => {
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

  it('answers 202 on its Location while it runs, then 200', () => {
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

  it('is idempotent', () => {
    const bench = new Bench();
    bench.askAndWait('POST', stop);
    expect(bench.askAndWait('POST', stop).body?.status).toBe('Succeeded');
    expect(bench.instances()[0]!.power).toBe('stopped');
  });

  const disks: [string, string, (bench: Bench) => JsonObject][] = [
    [
      'a new snapshot',
      'snapshots/other',
      (bench) => ({ creationData: { createOption: 'Copy', sourceResourceId: bench.instances()[0]!.osDiskId } }),
    ],
    ['a new disk', 'disks/other', () => ({ creationData: { createOption: 'Empty' }, diskSizeGB: 10 })],
  ];
  it.each(disks)('of %s ends with the resource, in its status and at its Location', (_, path, properties) => {
    const bench = new Bench();
    const body = { location: 'westeurope', properties: properties(bench) };
    const { headers } = bench.ask('PUT', path, { body });
    expect(bench.ask('GET', headers!.location!)).toMatchObject({ status: 202 });
    expect(bench.ask('GET', headers!['azure-asyncoperation']!).body).not.toHaveProperty('properties');
    bench.nowMs += 600_000;
    const made = bench.ask('GET', path).body!;
    expect(objectAt(made, 'properties')?.provisioningState).toBe('Succeeded');
    expect(objectAt(bench.ask('GET', headers!['azure-asyncoperation']!).body, 'properties', 'output')).toEqual(made);
    expect(bench.ask('GET', headers!.location!)).toMatchObject({ status: 200, body: made });
  });

  it('of changed tags ends with the snapshot that has them', () => {
    const bench = new Bench();
    withVersion(bench);
    const end = bench.askAndWait('PATCH', 'snapshots/snap', { body: { tags: { a: 'b' } } });
    expect(objectAt(end.body, 'properties', 'output', 'tags')).toEqual({ a: 'b' });
  });

  it.each(['failed', 'succeeded-but-not-applied'] as const)('of a snapshot that %s has nothing to show', (fate) => {
    const bench = new Bench();
    const creationData = { createOption: 'Copy', sourceResourceId: bench.instances()[0]!.osDiskId };
    const body = { location: 'westeurope', properties: { creationData } };
    const end = bench.askAndWait('PUT', 'snapshots/other', { body, strike: { fate } });
    expect(end.body).not.toHaveProperty('properties');
  });
});
