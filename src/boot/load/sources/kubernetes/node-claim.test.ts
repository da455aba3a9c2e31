import { describe, expect, it } from 'vitest';
import { memoryInput } from '../../input.ts';
import { recognise } from '../../load.ts';
import { sourceSuite } from '../source.suite.ts';
import { nodeClaimSource } from './node-claim.ts';

const condition = (type: string, at: string, status = 'True') => ({
  type,
  status,
  lastTransitionTime: at,
  reason: type,
});

/** As `kubectl get nodeclaim -o json` prints one, without the fields that do not matter. */
function claim(conditions: object[], more: object = {}): string {
  return JSON.stringify(
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { creationTimestamp: '2026-11-15T21:08:00Z', name: 'default-abcde' },
      spec: { nodeClassRef: { kind: 'EC2NodeClass' } },
      status: { conditions, nodeName: 'ip-10-0-0-1', providerID: 'aws:///us-west-2a/i-0' },
      ...more,
    },
    null,
    2,
  );
}

const whole = claim([
  condition('Ready', '2026-11-15T21:09:00Z'),
  condition('Launched', '2026-11-15T21:08:03Z'),
  condition('Registered', '2026-11-15T21:08:40Z'),
  condition('Initialized', '2026-11-15T21:09:00Z'),
]);
const parse = (text: string) => nodeClaimSource.parse(memoryInput('claim.json', text));

sourceSuite(nodeClaimSource, whole, 'a NodeClaim');

describe('a NodeClaim', () => {
  it('gives the three waits of Karpenter and when the VM was created', async () => {
    expect(recognise(memoryInput('x', whole))?.kind).toBe('node-claim');
    const [found] = await parse(whole);
    expect(found!.host).toEqual({ nodeName: 'ip-10-0-0-1' });
    expect(found!.spans.map(({ name, startUs, endUs }) => [name, (endUs - startUs) / 1e6])).toEqual([
      ['NodeClaim created to launched', 3],
      ['launched to registered', 37],
      ['registered to initialized', 20],
    ]);
    expect(found!.milestones).toMatchObject([{ name: 'vm-created', errorUs: 1e6 }]);
    expect(found!.notes).toEqual([]);
  });

  it.each([
    ['has no such condition', []],
    ['status False', [condition('Registered', '2026-11-15T21:08:40Z', 'False')]],
    ['changed again later', [condition('Registered', '2026-11-16T09:00:00Z')]],
  ])('names the first step that is unknown: %s', async (why, rest) => {
    const [found] = await parse(claim([condition('Launched', '2026-11-15T21:08:03Z'), ...rest]));
    expect(found!.spans).toHaveLength(1);
    expect(found!.notes).toMatchObject([{ level: 'warning', text: expect.stringContaining(why) }]);
  });

  it('without a time of creation gives nothing', async () => {
    expect(await parse(claim([], { metadata: {} }))).toEqual([]);
  });
});
