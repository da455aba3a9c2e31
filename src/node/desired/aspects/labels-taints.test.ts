import { describe, expect, it } from 'vitest';
import type { Taint } from '../../document/config.ts';
import { configOf, flagsOf, want } from '../desired.testing.ts';

const taints: Taint[] = [
  { key: 'dedicated', value: 'a', effect: 'NoSchedule' },
  { key: 'b', effect: 'NoExecute' },
];

describe('labels and taints', () => {
  it('are set at registration and kept on the Node', () => {
    const over = { labels: { tier: 'b', app: 'a' }, taints };
    expect(flagsOf(over)['node-labels']).toBe('app=a,tier=b');
    expect(configOf(over).registerWithTaints).toEqual([
      { key: 'dedicated', effect: 'NoSchedule', value: 'a' },
      { key: 'b', effect: 'NoExecute' },
    ]);
    const { live } = want(over);
    expect([live.get('label tier')?.value, live.get('taint dedicated:NoSchedule')?.value]).toEqual(['b', 'a']);
    expect(live.get('taint b:NoExecute')?.value).toBe('');
  });

  it('add no flags and settings if the document has none', () => {
    expect(flagsOf()).not.toHaveProperty('node-labels');
    expect(configOf()).not.toHaveProperty('registerWithTaints');
  });

  it('are ignored without a cluster, because there is no Node', () => {
    const over = { cluster: undefined, join: undefined, labels: { a: 'b' }, taints };
    expect(flagsOf(over)).not.toHaveProperty('node-labels');
    expect([...want(over).live.keys()].filter((id) => /^(label|taint) /.test(id))).toEqual([]);
  });
});
