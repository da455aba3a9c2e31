import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClusterState, explain, type GuestState, type JoinState, whyNotReady } from './why-not-ready.ts';

const NODE = 'pool-000001';
const NOTHING: ClusterState = { requests: [], wasDeleted: false };

function seen({
  guest,
  cluster,
  ...more
}: {
  guest?: Partial<GuestState>;
  cluster?: Partial<ClusterState>;
  isVmRunning?: boolean;
} = {}): JoinState {
  return {
    node: NODE,
    isVmRunning: true,
    guest: { loadState: 'loaded', activeState: 'active', lines: [], ...guest },
    cluster: { ...NOTHING, ...cluster },
    ...more,
  };
}
const request = (state: ClusterState['requests'][number]['state'], detail?: string) => ({
  name: 'node-csr-1',
  state,
  ...(detail !== undefined && { detail }),
});

const REFUSED = `E1116 12:00:01.123456     412 certificate_manager.go:562] "Unhandled Error" err="kubernetes.io/kube-apiserver-client-kubelet: Failed while requesting a signed certificate from the control plane: cannot create certificate signing request: Post \\"https://168.0.0.10:6443/apis\\": dial tcp 168.0.0.10:6443: connect: connection refused"`;
const FORBIDDEN = `E1116 12:00:02.000000     412 reflector.go:166] "Unhandled Error" err="failed to list *v1.Node: nodes \\"u1\\" is forbidden: User \\"system:node:a3\\" cannot list resource \\"nodes\\" in API group \\"\\" at the cluster scope: node 'a3' cannot read 'u1', only its own Node object"`;
const OTHER_NAME = 'can only create a node CSR with CN=system:node:a3';

describe('why a node is not Ready', () => {
  it.each<[string, JoinState, string]>([
    [
      'no VM',
      seen({ isVmRunning: false }),
      'the VM of pool-000001 is not running; start it with `headstart pool start pool-000001`',
    ],
    [
      'no plane',
      { node: NODE, isVmRunning: true, guest: seen().guest! },
      'the API server of the cluster does not answer; run `headstart cluster up` again',
    ],
    [
      'a silent guest',
      { node: NODE, isVmRunning: true, cluster: NOTHING },
      'its guest agent does not answer; read its console',
    ],
    [
      'no kubelet',
      seen({ guest: { loadState: 'not-found', activeState: 'inactive' } }),
      'there is no kubelet on pool-000001',
    ],
    [
      'a kubelet that waits',
      seen({ guest: { activeState: 'inactive' } }),
      'has not been started (inactive); see what it waits for',
    ],
    [
      'a kubelet that fails',
      seen({
        guest: {
          activeState: 'failed',
          exitStatus: 1,
          lines: [
            'I1116 12:00:00.000000 1 a.go:1] "ok"',
            'E1116 12:00:00.000000     1 run.go:72] "command failed" err="failed to load kubelet config file"',
          ],
        },
      }),
      'the kubelet of pool-000001 fails: "command failed" err="failed to load kubelet config file"; read its log with',
    ],
    [
      'one that is tried again and again',
      seen({ guest: { activeState: 'activating', exitStatus: 1, lines: ['error: no such flag'] } }),
      'fails: error: no such flag',
    ],
    [
      'no credential, as systemd says',
      seen({ guest: { activeState: 'activating', exitStatus: 243 } }),
      'has no bootstrap kubeconfig',
    ],
    [
      'no credential, as kubelet says',
      seen({
        guest: {
          activeState: 'failed',
          exitStatus: 1,
          lines: [
            'E1116 12:00:00.000000 1 run.go:72] "command failed" err="failed to run Kubelet: unable to load bootstrap kubeconfig: stat /x: no such file or directory"',
          ],
        },
      }),
      'has no bootstrap kubeconfig',
    ],
    [
      'a token that has expired',
      seen({ guest: { lines: ['err="cannot create certificate signing request: Unauthorized"'] } }),
      'does not accept the credential',
    ],
    [
      'no way to the server',
      seen({ guest: { lines: [REFUSED] } }),
      'cannot reach the API server: "Unhandled Error" err="kubernetes.io/kube-apiserver-client-kubelet: Failed',
    ],
    [
      'no way to the server for a node that was there',
      seen({
        guest: { lines: [REFUSED] },
        cluster: { node: { isReady: false, message: 'Kubelet stopped posting node status.' } },
      }),
      'cannot reach the API server',
    ],
    ['an unscrubbed clone, refused to read', seen({ guest: { lines: [FORBIDDEN] } }), 'uses the certificate of a3'],
    [
      'an unscrubbed clone, refused to ask',
      seen({ guest: { lines: [OTHER_NAME, REFUSED] } }),
      'uses the certificate of a3',
    ],
    [
      'no request',
      seen({ guest: { lines: ['I1116 12:00:00.000000     1 server.go:1] "Kubelet version"'] } }),
      'runs but has not requested a certificate: "Kubelet version"',
    ],
    [
      'a request that is not approved',
      seen({ cluster: { requests: [request('pending')] } }),
      'is not approved (node-csr-1)',
    ],
    [
      'a request that is not signed',
      seen({ cluster: { requests: [request('approved')] } }),
      'is approved but not signed',
    ],
    [
      'a request that was denied',
      seen({ cluster: { requests: [request('denied', 'Because: no')] }, guest: { lines: [REFUSED] } }),
      'was denied (node-csr-1): Because: no; delete it',
    ],
    [
      'a request that could not be signed',
      seen({ cluster: { requests: [request('failed')] } }),
      'could not be signed (node-csr-1); check',
    ],
    [
      'a certificate and no Node',
      seen({ cluster: { requests: [request('denied'), request('issued')] } }),
      'has its certificate but has not registered; read',
    ],
    [
      'a Node that was deleted',
      seen({ cluster: { requests: [request('issued')], wasDeleted: true } }),
      'was deleted while its VM was starting',
    ],
    [
      'a Node that is not Ready',
      seen({
        cluster: {
          node: { isReady: false, message: 'container runtime network not ready:\n cni plugin not initialized' },
        },
      }),
      'has registered but is not Ready: container runtime network not ready: cni plugin not initialized; read',
    ],
    ['Ready', seen({ cluster: { node: { isReady: true } } }), 'its kubelet has not reported'],
  ])('%s', (_, joining, expected) => {
    const { why, next } = explain(whyNotReady(joining), NODE);
    expect(`${why}; ${next}`).toContain(expected);
  });

  it('does not suspect another certificate if the node is refused with its own', () => {
    const own = FORBIDDEN.replaceAll('a3', NODE);
    expect(whyNotReady(seen({ guest: { lines: [own] } })).kind).not.toBe('other-certificate');
  });

  it('always has one sentence for the reason and one for the next step', () => {
    const words = fc.constantFrom('', 'active', 'failed', 'inactive', 'loaded', 'not-found', 'x\u001b[31m\n');
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom(REFUSED, FORBIDDEN, OTHER_NAME, 'Unauthorized', 'x'.repeat(5_000)),
    );
    const guest = fc.record(
      { loadState: words, activeState: words, exitStatus: fc.integer(), lines: fc.array(line, { maxLength: 5 }) },
      { requiredKeys: ['loadState', 'activeState', 'lines'] },
    );
    const state = fc.constantFrom(
      'pending' as const,
      'approved' as const,
      'issued' as const,
      'denied' as const,
      'failed' as const,
    );
    const cluster = fc.record(
      {
        requests: fc.array(
          fc.record({ name: fc.string(), state, detail: fc.string() }, { requiredKeys: ['name', 'state'] }),
          { maxLength: 3 },
        ),
        node: fc.record(
          { isReady: fc.boolean(), message: fc.string({ unit: 'binary' }) },
          { requiredKeys: ['isReady'] },
        ),
        wasDeleted: fc.boolean(),
      },
      { requiredKeys: ['requests', 'wasDeleted'] },
    );
    const anySeen = fc.record(
      { node: fc.constant(NODE), isVmRunning: fc.boolean(), guest, cluster },
      { requiredKeys: ['node', 'isVmRunning'] },
    );
    fc.assert(
      fc.property(anySeen, (joining) => {
        const { why, next } = explain(whyNotReady(joining), NODE);
        expect(why).not.toMatch(/[\n\r]/);
        expect(why.length).toBeGreaterThan(10);
        expect(why.length).toBeLessThan(700);
        expect(next.length).toBeGreaterThan(10);
        expect(next).not.toContain('\n');
      }),
      {
        // A past failure: an impossible systemd state with a line break in it.
        examples: [
          [
            {
              node: NODE,
              isVmRunning: true,
              guest: { loadState: 'loaded', activeState: 'x\u001b[31m\n', lines: [] },
              cluster: { requests: [], wasDeleted: false },
            },
          ],
        ],
      },
    );
  });
});
