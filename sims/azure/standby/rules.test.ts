import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../service/json.ts';
import { stringAt } from '../service/json.ts';
import { codeOf } from '../testing.ts';
import { StandbyBench } from './standby.testing.ts';

const mix = (runningPercent: number, deallocatedPercent: number, hibernatedPercent: number): JsonObject => ({
  virtualMachineState: 'Mix',
  vmStateDistribution: { runningPercent, deallocatedPercent, hibernatedPercent },
});
const size = (maxReadyCapacity: number, minReadyCapacity?: number): JsonObject => ({
  elasticityProfile: { maxReadyCapacity, ...(minReadyCapacity !== undefined && { minReadyCapacity }) },
});

describe('a standby pool is refused', () => {
  it.each<[string, ConstructorParameters<typeof StandbyBench>[0], JsonObject, string]>([
    ['for a Uniform set', { mode: 'Uniform' }, {}, 'Flexible'],
    ['without its set', {}, { attachedVirtualMachineScaleSetId: '/subscriptions/x/none' }, 'was not found'],
    ['with an unknown state', {}, { virtualMachineState: 'Paused' }, 'Paused'],
    ['hibernated when the model cannot', { hibernation: false }, { virtualMachineState: 'Hibernated' }, 'hibernation'],
    ['deallocated on ephemeral disks', { ephemeral: true }, { virtualMachineState: 'Deallocated' }, 'ephemeral'],
    ['partly deallocated on ephemeral disks', { ephemeral: true }, mix(90, 10, 0), 'ephemeral'],
    ['with a mix that adds up to less than all', {}, mix(50, 20, 20), '90'],
    ['with a minimum above its maximum', {}, size(2, 3), 'minReadyCapacity'],
    ['with half a VM', {}, size(1.5), 'whole number'],
    ['with more than 1,000', {}, size(1001), '1000'],
    ['with more than 1,000 in all', { instances: 3 }, size(1000, 998), '3 instances'],
  ])('%s', (_, set, properties, words) => {
    const bench = new StandbyBench(set);
    const answer = bench.put(properties);
    expect(answer.status).toBe(400);
    expect(stringAt(answer.body, 'error', 'message')).toContain(words);
    expect(bench.members.bind(bench)).not.toThrow();
  });

  it('in another region than its set', () => {
    const bench = new StandbyBench();
    const answer = bench.ask('PUT', bench.poolPath(), { body: { ...bench.body({}), location: 'eastus' } });
    expect(stringAt(answer.body, 'error', 'message')).toContain("not in 'eastus'");
  });

  it('when its set has one already', () => {
    const bench = new StandbyBench();
    bench.put();
    const second = bench.ask('PUT', bench.poolPath().replace('warm', 'second'), { body: bench.body({}) });
    expect(codeOf(second)).toEqual([409, 'Conflict']);
  });

  it('with a fault domain count other than 1', () => {
    const bench = new StandbyBench();
    bench.set().properties.platformFaultDomainCount = 3;
    expect(stringAt(bench.put().body, 'error', 'message')).toContain('fault domain');
  });

  it('in a state that its api-version does not know', () => {
    const bench = new StandbyBench();
    expect(bench.put(mix(50, 50, 0), { apiVersion: '2025-10-01' }).status).toBe(400);
    expect(bench.put({ virtualMachineState: 'Hibernated' }, { apiVersion: '2024-03-01' }).status).toBe(400);
    expect(bench.put({ virtualMachineState: 'Hibernated' }, { apiVersion: '2025-10-01' }).status).toBe(200);
  });

  it('when it would go from deallocated to hibernated without running between', () => {
    const bench = new StandbyBench();
    bench.put({ virtualMachineState: 'Deallocated' });
    const patch = (virtualMachineState: string) =>
      bench.ask('PATCH', bench.poolPath(), { body: { properties: { virtualMachineState } } }).status;
    expect([patch('Hibernated'), patch('Running'), patch('Hibernated'), patch('Deallocated')]).toEqual([
      400, 200, 200, 200,
    ]);
  });

  it('with a field that Azure does not know', () => {
    expect(codeOf(new StandbyBench().put({ refillPolicy: 'always' }))).toEqual([400, 'BadRequest']);
  });
});
