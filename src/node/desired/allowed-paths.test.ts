import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALLOWED_FOLDERS, FORBIDDEN_PATHS, pathProblem } from './allowed-paths.ts';

describe('a path a document may write', () => {
  it.each([
    '/etc/motd',
    '/etc/kubernetes/policy.yaml',
    '/opt/app/run.sh',
    '/usr/local/bin/tool',
    '/etc/.hidden',
    '/etc/a..b',
    '/opt/headstart-notes/app.service',
    '/etc/motd.d/headstart',
    '/etc/sysctl.d/90-app.conf',
  ])('is %s', (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });

  it.each([
    '/',
    '',
    'etc/motd',
    '/etc',
    '/etc/',
    '/etc/../root/.ssh/authorized_keys',
    '/etc/./motd',
    '/etc//motd',
    '/etc/motd/',
    '/etc/mo\ntd',
    '/etc/mo\0td',
    '/root/x',
    '/boot/grub/grub.cfg',
    '/usr/bin/kubelet',
    '/var/lib/headstart/node/current',
    '/etc/headstart/node.d/10.yaml',
    '/etc/shadow',
    '/etc/ld.so.cache',
    '/etc/sysctl.d/90-headstart.conf',
    '/etc/chrony/sources.d/headstart.sources',
    '/etc/tmpfiles.d/headstart-huge-pages.conf',
    '/var/lib/kubelet/kubeconfig',
    '/var/lib/kubelet/bootstrap-kubeconfig',
    '/etc/sudoers.d/me',
    '/etc/ssh/sshd_config',
    '/etc/systemd/system/kubelet.service',
    '/etc/systemd/system.control/kubelet.service',
    '/etc/systemd/system.attached/kubelet.service',
    '/usr/local/lib/systemd/system/kubelet.service',
    '/opt/units/headstart-node.service',
    '/srv/headstart-node.service.d/10.conf',
    '/opt/headstart-node-ready.target.wants/x.service',
    `/etc/${'x'.repeat(300)}`,
    `/etc/${'ä'.repeat(120)}`,
    `/etc/${'x/'.repeat(600)}y`,
  ])('is not %j', (path) => {
    expect(pathProblem(path)).toBeTypeOf('string');
  });

  it('never resolves to a path outside the allowed folders or in a forbidden one', () => {
    const parts = fc.constantFrom(
      'etc',
      'opt',
      'usr',
      'local',
      'var',
      'lib',
      '..',
      '.',
      '',
      'shadow',
      'headstart',
      'x',
      'ssh',
      '\n',
      '~',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 7 }), (words) => {
        const path = `/${words.join('/')}`;
        if (pathProblem(path) !== undefined) return;
        const followed = posix.normalize(path);
        expect(followed).toBe(path);
        expect(ALLOWED_FOLDERS.some((folder) => followed.startsWith(folder))).toBe(true);
        expect(FORBIDDEN_PATHS.some((other) => followed === other || followed.startsWith(`${other}/`))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
