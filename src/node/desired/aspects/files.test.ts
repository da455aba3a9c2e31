import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../base/secret.ts';
import { ALLOWED_FOLDERS } from '../allowed-paths.ts';
import { want } from '../desired.testing.ts';

describe('files of the document', () => {
  const file = { content: 'x', encoding: 'utf8', mode: 0o644, owner: 'root', group: 'root' } as const;

  it.each([
    '/etc/../shadow',
    '/etc/./shadow',
    '/etc/shadow',
    '/etc/sudoers.d/x',
    'etc/x',
    '/root/x',
    '/etc//x',
    '/etc/x/',
    '/etc/\u0000x',
    '/',
    '',
    '/etc/headstart/proxy.env',
    '/etc/systemd/system/x.service',
    '/etc/kubernetes/kubelet/config.d/99-x.conf',
    '/etc/kubernetes/kubelet/config.yaml',
  ])('are refused at %j', (path) => {
    const made = want({ files: { [path]: file } });
    expect(made.files.has(path)).toBe(false);
    expect(made.problems).toHaveLength(1);
  });

  it('are either inside the allowed folders or refused, for any path', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', 'etc', 'var', 'lib', 'opt', 'x'), fc.string({ maxLength: 5 }));
    const paths = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => `/${parts.join('/')}`),
    );
    fc.assert(
      fc.property(paths, (path) => {
        const made = want({ files: { [path]: file } });
        if (!made.files.has(path)) return;
        expect(ALLOWED_FOLDERS.some((folder) => path.startsWith(folder))).toBe(true);
        expect(
          path
            .split('/')
            .slice(1)
            .some((one) => one === '' || one === '.' || one === '..'),
        ).toBe(false);
      }),
    );
  });

  it('restart containerd only if containerd reads them at start', () => {
    const at = (path: string) => want({ files: { [path]: file } }).files.get(path);
    expect(at('/etc/containerd/conf.d/x.toml')).toMatchObject({ class: 3, after: [{ do: 'restart' }] });
    expect(at('/etc/containerd/certs.d/a/hosts.toml')).toMatchObject({ class: 0, after: [] });
    expect(at('/etc/kubernetes/manifests/p.json')).toMatchObject({ class: 1, after: [] });
    expect(at('/opt/x')).toMatchObject({ class: 0, after: [] });
  });

  it('are readable by their owner only if they are secret', () => {
    const secret = { ...file, content: new Secret('x'), mode: 0o755 };
    expect(want({ files: { '/opt/x': secret } }).files.get('/opt/x')?.mode).toBe(0o700);
  });
});
