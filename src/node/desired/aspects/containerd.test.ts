import { describe, expect, it } from 'vitest';
import { aConfig, OTHER_PEM, someFacts } from '../../document/configs.testing.ts';
import { contentBytes, isSecret } from '../bytes.ts';
import { linesAt, textAt, want } from '../desired.testing.ts';

const { containerd } = aConfig();

describe('containerd', () => {
  it("keeps the image's configuration if nothing is set", () => {
    expect(want().files.has('/etc/containerd/config.toml')).toBe(false);
    expect(want({ containerd: { ...containerd, openFilesLimit: 5 } }).files.has('/etc/containerd/config.toml')).toBe(
      false,
    );
  });

  it('has one complete file in the version that containerd supports', () => {
    const settings = { containerd: { ...containerd, sandboxImage: 'pause:1', maxConcurrentDownloads: 5 } };
    expect(linesAt('/etc/containerd/config.toml', settings)).toEqual(
      `\
version = 2
imports = [ "/etc/containerd/conf.d/*.toml" ]

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "pause:1"
max_concurrent_downloads = 5

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/opt/cni/bin"
conf_dir = "/etc/cni/net.d"

[plugins."io.containerd.grpc.v1.cri".containerd]
default_runtime_name = "runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = true

[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "/etc/containerd/certs.d"`.split('\n'),
    );
    const second = { ...someFacts, image: { ...someFacts.image, containerdVersion: '2.1.4' } };
    const text = textAt('/etc/containerd/config.toml', settings, second);
    expect(text).toContain('version = 3\n');
    expect(text).toContain('[plugins."io.containerd.cri.v1.images".pinned_images]\nsandbox = "pause:1"\n');
    expect(text).not.toContain('io.containerd.grpc.v1.cri');
  });

  it('appends the TOML of the document, and is secret if that may contain a credential', () => {
    const at = (toml: string) =>
      want({ containerd: { ...containerd, toml } }).files.get('/etc/containerd/config.toml')!;
    expect(contentBytes(at('[debug]\nlevel = "info"')).toString()).toMatch(/certs\.d"\n\n\[debug\]\nlevel = "info"\n$/);
    expect(isSecret(at('[debug]'))).toBe(false);
    expect(at('[plugins.x.registry.configs."r".auth]\npassword = "p"')).toMatchObject({ mode: 0o600 });
  });

  it('refuses TOML that would extend another table or repeat one', () => {
    for (const toml of ['root = "/x"', '[plugins."io.containerd.grpc.v1.cri"]\nsandbox_image = "x"']) {
      const { problems } = want({ containerd: { ...containerd, sandboxImage: 'pause:1', toml } });
      expect(problems).toMatchObject([{ path: 'spec.containerd.toml' }]);
    }
  });

  it('has one folder per registry, with the certificates of its mirrors', () => {
    const mirror = { capabilities: ['pull'], overridePath: true, skipVerify: false } as const;
    const registries = {
      'docker.io': {
        server: 'https://s',
        mirrors: [
          { ...mirror, url: 'https://b', overridePath: false },
          { ...mirror, url: 'https://a', certificateAuthority: OTHER_PEM },
        ],
      },
    };
    expect(
      linesAt('/etc/containerd/certs.d/docker.io/hosts.toml', { containerd: { ...containerd, registries } }),
    ).toEqual([
      'server = "https://s"',
      '',
      '[host."https://b"]',
      'capabilities = [ "pull" ]',
      '',
      '[host."https://a"]',
      'capabilities = [ "pull" ]',
      'override_path = true',
      'ca = "/etc/containerd/certs.d/docker.io/mirror-1.pem"',
    ]);
    const made = want({ containerd: { ...containerd, registries } });
    expect(made.files.get('/etc/containerd/certs.d/docker.io/mirror-1.pem')).toMatchObject({ class: 0 });
  });
});
