import { describe, expect, it } from 'vitest';
import { Secret } from '../../../base/secret.ts';
import { contentBytes } from '../bytes.ts';
import { textAt, want } from '../desired.testing.ts';

describe('the proxy', () => {
  it('is not used for metadata, services and pods, and only root can read its URL', () => {
    const proxy = { http: new Secret('http://u:p"$w@proxy:1'), https: undefined, noProxy: ['.internal', 'localhost'] };
    const file = want({ proxy }).files.get('/etc/headstart/proxy.env')!;
    expect(file.mode).toBe(0o600);
    const none =
      '.internal,localhost,127.0.0.0/8,::1,169.254.169.254,168.63.129.16,.svc,.cluster.local,10.96.0.0/12,10.244.0.0/16';
    expect(contentBytes(file).toString().split('\n').slice(1, -1)).toEqual([
      'HTTP_PROXY="http://u:p\\"\\$w@proxy:1"',
      'http_proxy="http://u:p\\"\\$w@proxy:1"',
      `NO_PROXY="${none}"`,
      `no_proxy="${none}"`,
    ]);
    for (const unit of ['containerd', 'kubelet']) {
      expect(textAt(`/etc/systemd/system/${unit}.service.d/30-headstart-proxy.conf`, { proxy })).toContain(
        '[Service]\nEnvironmentFile=/etc/headstart/proxy.env\n',
      );
    }
  });

  it('is absent if the document has none, and has no service ranges without a cluster', () => {
    expect(want().files.has('/etc/headstart/proxy.env')).toBe(false);
    const proxy = { http: undefined, https: new Secret('http://p:1'), noProxy: [] };
    const text = textAt('/etc/headstart/proxy.env', { proxy, cluster: undefined, join: undefined });
    expect(text).toContain('HTTPS_PROXY="http://p:1"\nhttps_proxy="http://p:1"\n');
    expect(text).not.toContain('HTTP_PROXY="');
    expect(text).not.toContain('.svc');
    expect(text).toContain('169.254.169.254');
  });
});
