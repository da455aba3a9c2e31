import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { Secret } from '../../base/secret.ts';
import { bootstrapKubeconfig, revokeBootstrapToken, toJoiningRequest } from './joining.ts';

describe('bootstrapKubeconfig', () => {
  it('has the guest address of the API server and the token, and does not print them', () => {
    const config = bootstrapKubeconfig('https://168.0.0.10:6443', 'CA', new Secret('abcdef.0123456789abcdef'));
    expect(JSON.parse(config.reveal())).toMatchObject({
      clusters: [{ cluster: { server: 'https://168.0.0.10:6443', 'certificate-authority-data': 'Q0E=' } }],
      users: [{ user: { token: 'abcdef.0123456789abcdef' } }],
    });
    expect(`${config} ${inspect({ config })} ${JSON.stringify({ config })}`).not.toContain('0123456789');
  });
});

describe('a CSR of a node', () => {
  const request = (status: object) =>
    toJoiningRequest({
      metadata: { name: 'csr-1', creationTimestamp: new Date(5_000) },
      spec: { request: '', signerName: 'x', username: 'system:bootstrap:abcdef' },
      status,
    });
  const is = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: 'True' })) });

  it.each([
    ['pending', {}],
    ['approved', is('Approved')],
    ['issued', { ...is('Approved'), certificate: 'Q0VSVA==' }],
    ['denied', is('Denied')],
    ['failed', is('Approved', 'Failed')],
    ['pending', { conditions: [{ type: 'Approved', status: 'False' }] }],
  ])('is %s', (state, status) => {
    expect(request(status)).toEqual({ name: 'csr-1', requestor: 'system:bootstrap:abcdef', createdMs: 5_000, state });
  });
});

describe('the id of a token', () => {
  it.each(['', 'abc', 'ABCDEF', '../../', 'abcdef.0123456789abcdef'])('is not %j', async (id) => {
    const access = { kubeconfig: '/nowhere', clock: systemClock };
    await expect(revokeBootstrapToken(access, id)).rejects.toMatchObject({ code: 'cluster/bad-token-id' });
  });
});
