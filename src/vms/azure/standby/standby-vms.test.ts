import { expect, it } from 'vitest';
import { standbyVmOf } from './standby-vms.ts';

it.each([
  [['PowerState/running'], 'running'],
  [['PowerState/deallocated'], 'deallocated'],
  [['PowerState/deallocated', 'HibernationState/Hibernated'], 'hibernated'],
  [['PowerState/starting'], 'other'],
  [[], 'other'],
] as const)('a VM with %j is %s', (codes, power) => {
  const instanceView = { statuses: codes.map((code) => ({ code })) };
  expect(standbyVmOf('vm', { instanceView, provisioningState: 'Succeeded' })).toEqual({
    ...{ id: 'vm', power, provisioning: 'Succeeded', isInPool: undefined },
  });
});

it('a VM without a view is in no known state', () => {
  expect(standbyVmOf('vm', {})).toEqual({ id: 'vm', isInPool: undefined, power: 'other', provisioning: 'unknown' });
});
