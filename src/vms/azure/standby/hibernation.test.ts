import { expect, it } from 'vitest';
import { canHibernate } from './hibernation.ts';

it.each([
  ['Standard_D4s_v5', 'yes'],
  ['Standard_D16ds_v5', 'yes'],
  ['Standard_D32s_v5', 'no'], // 128 GB
  ['Standard_D32ls_v5', 'yes'], // 64 GB
  ['Standard_E8as_v5', 'yes'],
  ['Standard_E16s_v5', 'no'], // 128 GB
  ['Standard_D4ps_v5', 'no'], // Arm
  ['Standard_B2ms', 'no'],
  ['Standard_D4s_v6', 'unknown'],
  ['Standard_NV36ads_A10_v5', 'unknown'],
  ['', 'unknown'],
] as const)('%s: %s', (size, answer) => {
  expect(canHibernate(size)).toBe(answer);
});
