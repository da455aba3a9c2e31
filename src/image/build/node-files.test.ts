import { describe, expect, it } from 'vitest';
import { BASE_PATH, configProblems } from '../../node/kubelet-config.ts';
import { nodeFiles } from './node-files.ts';

const { files, commands, removed } = nodeFiles({ hasContainerdPackage: true });
const textOf = (path: string) => files.find((file) => file.path === path)?.text;
const lines = commands.map((argv) => argv.join(' '));

describe('a node that is not configured yet', () => {
  it('has each file once, in a place from the root, ending in a line', () => {
    const paths = files.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const { path, text } of files) {
      expect(path).toMatch(/^\/[^/]/);
      expect(text, path).toMatch(/\n$/);
    }
  });

  it('has a configuration that kubelet takes, in which nobody may do anything', () => {
    const config = JSON.parse(textOf(BASE_PATH)!);
    expect(configProblems(config)).toEqual([]);
    expect(config.authentication).toEqual({ anonymous: { enabled: false }, webhook: { enabled: false } });
  });

  it('says how many files containerd may open, and brings a unit only where no package does', () => {
    expect(textOf('/usr/lib/systemd/system/containerd.service.d/10-headstart-image.conf')).toContain(
      'LimitNOFILE=1048576',
    );
    expect(textOf('/usr/lib/systemd/system/containerd.service')).toBeUndefined();
    const archive = nodeFiles({ hasContainerdPackage: false }).files;
    expect(archive.map(({ path }) => path)).toContain('/usr/lib/systemd/system/containerd.service');
  });

  it('starts the daemon, kubelet, containerd, the network and the clone check, and nothing that changes packages', () => {
    for (const unit of ['headstart-node', 'kubelet', 'containerd', 'systemd-networkd'])
      expect(lines).toContainEqual(
        expect.stringMatching(`^ln -sfn \\S+ /etc/systemd/system/multi-user.target.wants/${unit}.service$`),
      );
    expect(lines).toContainEqual(expect.stringContaining('/sysinit.target.wants/headstart-clone-check.service'));
    for (const unit of ['apt-daily.timer', 'apt-daily-upgrade.timer', 'unattended-upgrades.service'])
      expect(lines).toContain(`ln -sfn /dev/null /etc/systemd/system/${unit}`);
  });

  it('has nothing that one node alone may have, nor a word about where it was made', () => {
    expect(removed).toEqual(
      expect.arrayContaining([
        ...['/etc/ssh/ssh_host_*', '/etc/hostname', '/var/lib/systemd/random-seed', '/var/lib/dbus/machine-id'],
        ...['/etc/.resolv.conf.systemd-resolved.bak', '/etc/apt/sources.list', '/var/log/*.log'],
      ]),
    );
  });
});
