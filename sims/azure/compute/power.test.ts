import { describe, expect, it } from 'vitest';
import { objectsAt, stringAt } from '../service/json.ts';
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

  it('hibernates a VM whose model allows it, and resumes it', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', mode: 'Flexible', instances: 1, hibernation: true }] });
    const vm = `virtualMachines/${bench.instances()[0]!.name}`;
    const statuses = () =>
      objectsAt(bench.ask('GET', `${vm}/instanceView`).body, 'statuses').map(({ code }) => String(code));
    bench.askAndWait('POST', `${vm}/deallocate`, { query: 'hibernate=true' });
    expect(statuses()).toEqual([
      'ProvisioningState/succeeded',
      'PowerState/deallocated',
      'HibernationState/Hibernated',
    ]);
    bench.askAndWait('POST', `${vm}/start`);
    expect(statuses()).toEqual(['ProvisioningState/succeeded', 'PowerState/running']);
    bench.askAndWait('POST', 'virtualMachineScaleSets/pool1/deallocate', { query: 'hibernate=true' });
    bench.askAndWait('POST', `${vm}/deallocate`);
    expect(statuses()).toEqual(['ProvisioningState/succeeded', 'PowerState/deallocated']);
    expect(codeOf(bench.ask('POST', `${vm}/deallocate`, { query: 'hibernate=true' }))[0]).toBe(409);
  });

  it.each([
    ['of a Uniform set', { mode: 'Uniform' as const, hibernation: true }],
    ['whose model does not allow it', { mode: 'Flexible' as const }],
  ])('never hibernates an instance %s', (_, set) => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 1, ...set }] });
    const answer = bench.ask('POST', 'virtualMachineScaleSets/pool1/deallocate', { query: 'hibernate=true' });
    expect(codeOf(answer)).toEqual([409, 'OperationNotAllowed']);
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
