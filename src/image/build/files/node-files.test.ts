import { describe, expect, it } from 'vitest';
import { BASE_PATH, configProblems } from '../../../node/desired/kubelet-config.ts';
import { nodeFiles } from './node-files.ts';

const of = (...packages: string[]) => {
  const made = nodeFiles(new Set(packages));
  return {
    ...made,
    textOf: (path: string) => made.files.find((file) => file.path === path)?.text,
    lines: made.commands.map((argv) => argv.join(' ')),
  };
};
const { files, removed, lines, textOf } = of('containerd', 'systemd-resolved');

describe('nodeFiles', () => {
  it('lists each file once, with an absolute path and a final newline', () => {
    const paths = files.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const { path, text } of files) {
      expect(path).toMatch(/^\/[^/]/);
      expect(text, path).toMatch(/\n$/);
    }
  });

  it('has a valid kubelet configuration that denies all requests', () => {
    const config = JSON.parse(textOf(BASE_PATH)!);
    expect(configProblems(config)).toEqual([]);
    expect(config.authentication).toEqual({ anonymous: { enabled: false }, webhook: { enabled: false } });
  });

  it('starts packaged and unpackaged containerd with the local file systems and an open-file limit', () => {
    for (const [image, folder] of [[of(), '/usr/lib'] as const, [of('containerd'), '/etc'] as const]) {
      const path = `${folder}/systemd/system/containerd.service`;
      const unit = image.textOf(path);
      expect(image.lines).toContain(`ln -sfn ${path} /etc/systemd/system/multi-user.target.wants/containerd.service`);
      expect(unit).toContain('\nExecStart=containerd\n'); // found in PATH, also in /usr/local
      expect(unit).toContain('\nLimitNOFILE=1048576\n');
      expect(unit).toContain('\nDefaultDependencies=no\n');
      expect(unit).not.toMatch(/^(?:After|Wants|Requires)=.*(?:network|sysinit|basic)/m);
    }
  });

  it('gives CPU priority during boot to units that kubelet waits for', () => {
    const first = files.filter(({ text }) => /^StartupCPUWeight=10000$/m.test(text)).map(({ path }) => path);
    const waitedFor = [
      'headstart-node',
      'headstart-node-turn',
      'headstart-clone-check',
      'containerd',
      'headstart-clone-finish',
      ...['systemd-journald', 'systemd-journal-flush'],
      ...['systemd-remount-fs', 'systemd-modules-load', 'systemd-sysctl', 'systemd-tmpfiles-setup'],
      ...['systemd-tmpfiles-setup-dev', 'systemd-udevd', 'systemd-udev-trigger', 'systemd-networkd'],
      ...['systemd-random-seed', 'systemd-update-utmp', 'kmod-static-nodes', 'modprobe@'],
      'systemd-resolved',
      'kubelet',
    ];
    for (const name of waitedFor) expect(first).toContainEqual(expect.stringContaining(`/${name}.service`));
    expect(first).toHaveLength(waitedFor.length);
  });

  it('enables the daemon, kubelet, containerd, the network and the clone check, and masks units that change packages', () => {
    for (const unit of ['headstart-node', 'kubelet', 'containerd', 'systemd-networkd'])
      expect(lines).toContainEqual(
        expect.stringMatching(`^ln -sfn \\S+ /etc/systemd/system/multi-user.target.wants/${unit}.service$`),
      );
    expect(lines).toContainEqual(expect.stringContaining('/sysinit.target.wants/headstart-clone-check.service'));
    for (const unit of ['apt-daily.timer', 'apt-daily-upgrade.timer', 'unattended-upgrades.service'])
      expect(lines).toContain(`ln -sfn /dev/null /etc/systemd/system/${unit}`);
  });

  it('gives kubelet the real name servers, never the stub resolver', () => {
    expect(lines).toContain('ln -sfn ../run/systemd/resolve/resolv.conf /etc/resolv.conf');
    expect(JSON.parse(textOf(BASE_PATH)!).resolvConf).toBe('/run/systemd/resolve/resolv.conf');
  });

  it('has no name servers of the build machine without a resolver package', () => {
    const other = of('containerd');
    expect(other.textOf('/etc/resolv.conf')).toMatch(/^#.*\n$/);
    expect(other.lines.join('\n')).not.toContain('resolv.conf');
    expect(JSON.parse(other.textOf(BASE_PATH)!)).not.toHaveProperty('resolvConf');
  });

  it('links Debian’s CNI plugins into the folder that network agents use', () => {
    const linking = 'find /usr/lib/cni -type f -exec ln -sfn -t /opt/cni/bin {} +';
    expect(of('containernetworking-plugins').lines).toContain(linking);
    expect(lines).not.toContain(linking); // the package's folder does not exist
  });

  it('does not manage a cloud’s accelerated network interface', () => {
    expect(textOf('/etc/systemd/network/10-headstart-shared.network')).toMatch(/^Driver=.*mlx5_core.* mana$/m);
  });

  it('removes machine identities and traces of the build', () => {
    expect(removed).toEqual(
      expect.arrayContaining([
        ...['/etc/ssh/ssh_host_*', '/etc/hostname', '/var/lib/systemd/random-seed', '/var/lib/dbus/machine-id'],
        ...['/etc/.resolv.conf.systemd-resolved.bak', '/etc/apt/sources.list', '/var/log/*.log'],
      ]),
    );
  });
});
