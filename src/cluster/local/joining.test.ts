import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { bootstrapKubeconfig } from './joining.ts';

describe('what a kubelet starts with', () => {
  it('leads to the API server as guests see it, with the token, and does not print itself', () => {
    const config = bootstrapKubeconfig('https://168.0.0.10:6443', 'CA', new Secret('abcdef.0123456789abcdef'));
    expect(JSON.parse(config.reveal())).toMatchObject({
      clusters: [{ cluster: { server: 'https://168.0.0.10:6443', 'certificate-authority-data': 'Q0E=' } }],
      users: [{ user: { token: 'abcdef.0123456789abcdef' } }],
    });
    expect(`${config} ${inspect({ config })} ${JSON.stringify({ config })}`).not.toContain('0123456789');
  });
});
