import { describe, expect, it } from 'vitest';
import { parseRelease } from '../../../node/observe/release.ts';
import type { Artifact } from '../../lock/lock.ts';
import { aLock, anArtifact } from '../locks.testing.ts';
import { renderContainerdFiles, renderRelease } from './release-file.ts';

const PAUSE = anArtifact('pause', 'oci-image', { install: { to: 'registry.k8s.io/pause:3.10' } });
const CONTAINERD = anArtifact('containerd', 'deb', { version: '1.6.20~ds1-1+deb12u1', isAsked: true });
const PLUGINS = anArtifact('containernetworking-plugins', 'deb');
const KUBELET = anArtifact('kubelet', 'binary', { kubernetes: '1.35.8', install: { to: '/usr/local/bin/kubelet' } });
const OLDER = anArtifact('kubelet', 'binary', { kubernetes: '1.35.7', install: { to: '/usr/local/bin/kubelet' } });

const render = (...artifacts: Artifact[]) =>
  renderRelease(
    { lock: aLock(artifacts), kubernetes: '1.35.8' },
    { contentSha256: 'ab'.repeat(32), kernelRelease: '6.1.0-1-cloud-amd64' },
  );

describe('renderRelease', () => {
  it('can be parsed by the daemon', () => {
    const facts = parseRelease(render(CONTAINERD, PLUGINS, PAUSE, KUBELET, OLDER));
    expect(facts).toMatchObject({
      name: 'node',
      version: '1.35.8-2026.1116.0',
      kubernetesVersion: '1.35.8',
      containerdVersion: '1.6.20',
      cniBinDir: '/opt/cni/bin',
      defaults: { containerd: { sandboxImage: 'registry.k8s.io/pause:3.10' } },
    });
  });

  it('lists requested components of this version, not dependencies or those of other versions', () => {
    const { components, contentSha256 } = JSON.parse(render(CONTAINERD, PLUGINS, KUBELET, OLDER));
    expect(components.map(({ name }: { name: string }) => name)).toEqual(['containerd', 'kubelet']);
    expect(contentSha256).toBe('ab'.repeat(32));
  });
});

describe('renderContainerdFiles', () => {
  it('configures the pause image and systemd cgroups, in the format of the containerd version', async () => {
    const first = await renderContainerdFiles(render(CONTAINERD, PAUSE));
    expect(first.map(({ path }) => path)).toEqual(['etc/crictl.yaml', 'etc/containerd/config.toml']);
    expect(first[1]!.text).toMatch(
      /version = 2[\s\S]*sandbox_image = "registry.k8s.io\/pause:3.10"[\s\S]*SystemdCgroup = true/,
    );
    const second = await renderContainerdFiles(render({ ...CONTAINERD, version: '2.1.4' }, PAUSE));
    expect(second[1]!.text).toMatch(/version = 3[\s\S]*sandbox = "registry.k8s.io\/pause:3.10"/);
  });
});
