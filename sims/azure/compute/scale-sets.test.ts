import { describe, expect, it } from 'vitest';
import { stringAt } from '../service/json.ts';
import { Bench, BOOTSTRAP, codeOf, withExtensions } from '../testing.ts';

describe('a scale set', () => {
  it('never returns custom data or protected settings, and gives them to new instances', () => {
    const bench = withExtensions();
    const text = JSON.stringify([
      bench.ask('GET', 'virtualMachineScaleSets/pool1'),
      bench.ask('GET', 'virtualMachineScaleSets/pool1/virtualMachines'),
      bench.ask('GET', 'virtualMachineScaleSets/pool1/extensions'),
    ]);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain(Buffer.from(BOOTSTRAP).toString('base64'));
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 3 } } });
    const { birth } = bench.instances().at(-1)!;
    expect(birth.customData).toBe(Buffer.from(BOOTSTRAP).toString('base64'));
    expect(birth.protectedSettings.cse).toEqual({ key: 's3cret' });
  });

  it('refuses a second write while the first runs, but not two stops of two instances', () => {
    const bench = new Bench();
    bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { tags: {} } });
    const second = bench.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { tags: {} } });
    expect(codeOf(second)).toEqual([409, 'Conflict']);
    bench.nowMs += 60_000;
    const stop = (id: number) =>
      bench.ask('POST', `virtualMachineScaleSets/pool1/virtualMachines/${id}/powerOff`).status;
    expect([stop(0), stop(1), stop(0)]).toEqual([202, 202, 409]);
  });

  it('deletes the newest first, and never a protected one', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 3 }] });
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/2', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleIn: true } } },
    });
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 2 } } });
    expect(bench.instances().map(({ instanceId }) => instanceId)).toEqual(['0', '2']);
    expect(Object.keys(bench.world.disks)).toHaveLength(2);
  });

  it.each([
    ['PUT', -1, 400],
    ['PATCH', -1, 400],
    ['PATCH', 1.5, 400],
    ['PATCH', '3', 400],
    ['PUT', 1001, 409],
    ['PATCH', 100_000, 409],
    ['PATCH', 10_000_000_000, 409],
  ] as const)('refuses a %s of capacity %s before it makes anything', (method, capacity, status) => {
    const bench = new Bench();
    const before = structuredClone(bench.world);
    const body = { location: 'westeurope', sku: { capacity } };
    const answer = bench.ask(method, 'virtualMachineScaleSets/pool1', { body });
    expect(answer.status).toBe(status);
    expect({ ...bench.world, buckets: {}, requests: 0 }).toEqual({ ...before, buckets: {}, requests: 0 });
  });

  it('grows to 1000 instances and not further, or to 100 in one placement group', () => {
    const bench = new Bench();
    const grow = (capacity: number) =>
      bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity } } });
    expect(grow(1000).body?.status).toBe('Succeeded');
    expect(bench.instances()).toHaveLength(1000);
    expect(codeOf(grow(1001))).toEqual([409, 'OperationNotAllowed']);
    const single = new Bench();
    single.set().properties.singlePlacementGroup = true;
    const refused = single.ask('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 101 } } });
    expect(stringAt(refused.body, 'error', 'message')).toContain("limit of '100'");
  });

  it('refuses to make a set of more than 1000 instances', () => {
    const bench = new Bench();
    const { body } = bench.ask('GET', 'virtualMachineScaleSets/pool1');
    const other = { ...body!, sku: { name: 'Standard_D4s_v5', capacity: 1001 } };
    expect(codeOf(bench.ask('PUT', 'virtualMachineScaleSets/pool2', { body: other }))).toEqual([
      409,
      'OperationNotAllowed',
    ]);
    expect(Object.keys(bench.world.scaleSets)).toHaveLength(1);
  });

  it('is not overwritten by a PUT that demands a new one', () => {
    const bench = new Bench();
    const before = structuredClone(bench.set());
    const { body } = bench.ask('GET', 'virtualMachineScaleSets/pool1');
    const put = (path: string, headers: Record<string, string>) => bench.ask('PUT', path, { body: body!, headers });
    expect(codeOf(put('virtualMachineScaleSets/pool1', { 'if-none-match': '*' }))).toEqual([412, 'PreconditionFailed']);
    expect(bench.set()).toEqual(before);
    expect(put('virtualMachineScaleSets/pool2', { 'if-none-match': '*' }).status).toBe(201);
    expect(codeOf(put('virtualMachineScaleSets/pool3', { 'if-match': '"1"' }))).toEqual([412, 'PreconditionFailed']);
    const instance = bench.ask('GET', 'virtualMachineScaleSets/pool1/virtualMachines/0').body!;
    expect(
      codeOf(
        bench.ask('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/0', {
          body: instance,
          headers: { 'if-none-match': '*' },
        }),
      ),
    ).toEqual([412, 'PreconditionFailed']);
  });
});
