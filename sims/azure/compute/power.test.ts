import { describe, expect, it } from 'vitest';
import { stringAt } from '../service/json.ts';
import { Bench, codeOf } from '../testing.ts';

describe('power', () => {
  const act = (bench: Bench, action: string, strike = {}) =>
    bench.askAndWait('POST', `virtualMachineScaleSets/pool1/virtualMachines/0/${action}`, { strike });

  it('fails for lack of capacity only for a deallocated instance, and only with that fault', () => {
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
      expect(codeOf(answer)).toEqual([409, 'OperationNotAllowed']);
    }
  });

  it('skips protected instances when the whole set is stopped', () => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/0', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleSetActions: true } } },
    });
    bench.askAndWait('POST', 'virtualMachineScaleSets/pool1/powerOff', { body: { instanceIds: ['*'] } });
    expect(bench.instances().map(({ power }) => power)).toEqual(['running', 'stopped']);
  });

  it('skips a protected instance also when the set is told to stop it by its id; the instance itself still obeys', () => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/0', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleSetActions: true } } },
    });
    for (const action of ['powerOff', 'deallocate', 'reimageAll']) {
      const body = { instanceIds: ['0'] };
      const end = bench.askAndWait('POST', `virtualMachineScaleSets/pool1/${action}`, { body });
      expect([end.body?.status, bench.instances()[0]!.power]).toEqual(['Succeeded', 'running']);
    }
    act(bench, 'powerOff');
    expect(bench.instances()[0]!.power).toBe('stopped');
  });

  it.each(['reimage', 'reimageAll'])('comes back from %s with a new disk and the newest model', (action) => {
    const bench = new Bench();
    const before = bench.instances().map(({ osDiskId }) => osDiskId);
    bench.set().modelVersion = 2;
    expect(act(bench, action).body?.status).toBe('Succeeded');
    const [first, second] = bench.instances();
    expect([first!.modelVersion, second!.modelVersion]).toEqual([2, 1]);
    expect([first!.osDiskId === before[0], second!.osDiskId === before[1]]).toEqual([false, true]);
    const end = bench.askAndWait('POST', `virtualMachineScaleSets/pool1/${action}`, { body: { instanceIds: ['1'] } });
    expect([end.body?.status, bench.instances()[1]!.modelVersion]).toEqual(['Succeeded', 2]);
  });

  it('of a Flexible set works only on its virtual machines', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 1, mode: 'Flexible' }] });
    const { name } = bench.instances()[0]!;
    const refused = bench.ask('POST', `virtualMachineScaleSets/pool1/virtualMachines/${name}/powerOff`);
    expect(codeOf(refused)).toEqual([409, 'OperationNotAllowed']);
    expect(bench.askAndWait('POST', `virtualMachines/${name}/powerOff`).body?.status).toBe('Succeeded');
    expect(bench.instances()[0]!.power).toBe('stopped');
  });
});
