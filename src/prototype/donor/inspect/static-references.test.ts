import { describe, expect, it } from 'vitest';
import { parseInspection } from './inspection.ts';
import { describeReference, staticReferences } from './static-references.ts';

// Files of real nodes, read by the script, are in inspect-script.test.ts.
describe('staticReferences', () => {
  it('ignores flags that the node daemon rewrites on each machine', () => {
    const lines = (unit: string) =>
      parseInspection(
        [
          'headstart-inspect\t1',
          'address\t168.1.0.4',
          'reference\tkubelet\t/etc/default/kubelet\t1\tipv4\tnode-ip\t168.1.0.4',
          ...(unit ? [`joins-by-unit\t${unit}`] : []),
          'end\n',
        ].join('\n'),
      );
    expect(staticReferences(lines('')).map(describeReference)).toEqual([
      '/etc/default/kubelet:1: node-ip is 168.1.0.4',
    ]);
    expect(staticReferences(lines('headstart-node.service'))).toEqual([]);
  });
});
