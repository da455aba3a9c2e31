import { describe, expect, it } from 'vitest';
import { healthOf } from './health.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import { takePorts } from './ports.ts';
import { apiServerFlags, controllerFlags, DRAIN_CONTROLLERS, etcdFlags } from './server-flags.ts';

const pair = { cert: '/c', key: '/k' };
const api = { port: 6443, etcd: { url: 'http://127.0.0.1:1' }, accountKey: '/a', serviceRange: '10.96.0.0/16' };

describe('the flags of servers', () => {
  it('accept node certificates only with an authority for them', () => {
    const plain = apiServerFlags({ ...api, serving: { folder: '/f' }, tokens: '/t' });
    expect(plain).toEqual(
      expect.arrayContaining(['--authorization-mode=RBAC', '--token-auth-file=/t', '--cert-dir=/f']),
    );
    const whole = apiServerFlags({
      ...api,
      serving: pair,
      clientAuthority: '/ca',
      kubeletClient: pair,
      letsNodesJoin: true,
    });
    expect(whole).toEqual(
      expect.arrayContaining([
        '--authorization-mode=Node,RBAC',
        '--enable-admission-plugins=NodeRestriction',
        '--enable-bootstrap-token-auth=true',
        '--anonymous-auth=false',
        '--client-ca-file=/ca',
      ]),
    );
    expect(whole.join(' ')).not.toContain('--token-auth-file');
  });

  it('restrict etcd clients and peers to certificates of its authority', () => {
    const flags = etcdFlags({ dataFolder: '/d', clientPort: 1, peerPort: 2, tls: { ...pair, ca: '/ca' } });
    expect(flags).toEqual(expect.arrayContaining(['--client-cert-auth=true', '--peer-client-cert-auth=true']));
    expect(flags.join(' ')).not.toContain('http://');
    expect(flags).not.toContain('--unsafe-no-fsync');
  });

  it('name no controller twice', () => {
    expect(new Set(DRAIN_CONTROLLERS).size).toBe(DRAIN_CONTROLLERS.length);
    const flags = controllerFlags({ kubeconfig: '/k', accountKey: '/a', controllers: DRAIN_CONTROLLERS });
    expect(flags).toContain('--secure-port=0');
  });
});

describe('a kubeconfig', () => {
  it('has the server and a token, a certificate or files', () => {
    const server = { url: 'https://127.0.0.1:1', ca: 'CA' };
    const userOf = (text: string) => JSON.parse(text).users[0].user;
    expect(userOf(renderKubeconfig({ ...server, token: 't' }))).toEqual({ token: 't' });
    expect(userOf(renderKubeconfig({ ...server, cert: 'C', key: 'K' }))).toEqual({
      'client-certificate-data': 'Qw==',
      'client-key-data': 'Sw==',
    });
    expect(userOf(renderKubeconfig({ ...server, certFile: '/c', keyFile: '/k' }))).toEqual({
      'client-certificate': '/c',
      'client-key': '/k',
    });
    expect(JSON.parse(renderKubeconfig({ ...server, token: 't', namespace: 'n', name: 'x' }))).toMatchObject({
      contexts: [{ name: 'x', context: { cluster: 'x', namespace: 'n' } }],
      'current-context': 'x',
    });
  });
});

describe('health', () => {
  it('is good, or names the failed checks', () => {
    expect(healthOf(200, 'ok')).toEqual({ isHealthy: true });
    expect(healthOf(500, '[+]ping ok\n[-]etcd failed: reason withheld\n[-]log failed\n')).toEqual({
      isHealthy: false,
      why: 'answers 500 (etcd, log)',
    });
    expect(healthOf(503, '')).toEqual({ isHealthy: false, why: 'answers 503' });
  });
});

describe('ports', () => {
  it('are free, different and not to be avoided, for any start of the search', async () => {
    const isPortFree = async (port: number) => port % 3 !== 0;
    for (const random of [0, 0.5, 0.99999]) {
      const taken = await takePorts(5, { isPortFree, random: () => random }, new Set([20_000, 20_001, 25_001]));
      expect(new Set(taken).size).toBe(5);
      for (const port of taken) expect(port % 3 !== 0 && port !== 20_001 && port >= 20_000 && port < 30_000).toBe(true);
    }
  });
});
