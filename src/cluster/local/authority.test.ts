import { X509Certificate } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificatesToMake, ensureAuthority } from './authority.ts';

const NOW_MS = Date.UTC(2026, 10, 16, 9);
const DAY_MS = 86_400_000;
const options = { guestAddress: '168.0.0.10', nowMs: NOW_MS };

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'headstart-pki-')), 'pki');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const ensure = (more: Partial<typeof options> = {}) => ensureAuthority(folder, { ...options, ...more });
const toMake = (more: Partial<typeof options> = {}) => certificatesToMake(folder, { ...options, ...more });
const text = (file: string) => readFileSync(join(folder, file), 'utf8');
const certificate = (name: string) => new X509Certificate(text(`${name}.crt`));
const everything = () => Object.fromEntries(readdirSync(folder).map((file) => [file, text(file)]));

describe('the authority of a local cluster', () => {
  it('signs a certificate for each program, and makes keys readable only for this user', async () => {
    expect(toMake()).toEqual(expect.arrayContaining(['ca', 'etcd-ca', 'apiserver', 'admin', 'scheduler']));
    await ensure();
    expect(toMake()).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600);
    expect(certificate('apiserver').checkIP('168.0.0.10')).toBeDefined();
    expect(certificate('admin').subject).toBe('O=system:masters\nCN=headstart-admin');
    expect(certificate('controller-manager').subject).toBe('CN=system:kube-controller-manager');
    expect(certificate('admin').verify(certificate('ca').publicKey)).toBe(true);
  });

  it('does not accept certificates of the cluster for etcd', async () => {
    await ensure();
    const etcd = certificate('etcd-ca').publicKey;
    expect(certificate('etcd-client').verify(etcd)).toBe(true);
    for (const name of ['admin', 'kubelet-client', 'scheduler', 'apiserver'])
      expect(certificate(name).verify(etcd), name).toBe(false);
  });

  it('changes nothing the second time', async () => {
    await ensure();
    const before = everything();
    await ensure({ nowMs: NOW_MS + 100 * DAY_MS });
    expect(everything()).toEqual(before);
  });

  it('renews certificates that are about to expire, with the same authority', async () => {
    await ensure();
    const authority = text('ca.crt');
    const later = { nowMs: NOW_MS + 300 * DAY_MS };
    expect(toMake(later)).not.toContain('ca');
    expect(toMake(later)).toContain('admin');
    await ensure(later);
    expect(toMake(later)).toEqual([]);
    expect(text('ca.crt')).toBe(authority);
    expect(Date.parse(certificate('admin').validTo)).toBeGreaterThan(later.nowMs + 300 * DAY_MS);
  });

  it('renews the certificate of the API server when its guest address changes', async () => {
    await ensure();
    expect(toMake({ guestAddress: '168.0.0.20' })).toEqual(['apiserver']);
    await ensure({ guestAddress: '168.0.0.20' });
    expect(certificate('apiserver').checkIP('168.0.0.20')).toBeDefined();
  });

  it('repairs certificates and keys that a killed command or a user damaged', async () => {
    await ensure();
    const leaves = readdirSync(folder).filter((file) => !/^(?:etcd-)?ca\.|service-account/.test(file));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...leaves),
        fc.constantFrom('gone', 'empty', 'cut', 'of another'),
        async (file, how) => {
          const path = join(folder, file);
          const other = leaves.find((one) => one !== file && one.slice(-4) === file.slice(-4))!;
          if (how === 'gone') rmSync(path);
          else writeFileSync(path, how === 'empty' ? '' : how === 'cut' ? text(file).slice(0, 100) : text(other));
          expect(toMake()).toEqual([file.slice(0, -4)]);
          await ensure();
          expect(toMake()).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each(['ca', 'etcd-ca'])('never replaces a broken %s', async (name) => {
    await ensure();
    const before = everything();
    for (const [file, content] of [
      [`${name}.key`, before[name === 'ca' ? 'etcd-ca.key' : 'ca.key']!],
      [`${name}.key`, ''],
      [`${name}.crt`, 'not a certificate'],
    ] as const) {
      writeFileSync(join(folder, file), content);
      await expect(ensure(), file).rejects.toThrow(expect.objectContaining({ code: 'cluster/lost-authority' }));
      writeFileSync(join(folder, file), before[file]!);
    }
    expect(everything()).toEqual(before);
  });

  it('keeps its key when its certificate is lost, because joined nodes trust the key', async () => {
    await ensure();
    const node = certificate('admin');
    rmSync(join(folder, 'ca.crt'));
    await ensure();
    expect(toMake()).toEqual([]);
    expect(node.verify(certificate('ca').publicKey)).toBe(true);
  });

  it.each(['ca.key', 'etcd-ca.key'])(
    'plans a new certificate but then refuses to continue without %s',
    async (file) => {
      await ensure();
      rmSync(join(folder, file));
      expect(toMake()).toContain(file.replace('.key', ''));
      await expect(ensure()).rejects.toThrow();
    },
  );

  it.each(['', 'not a key'])('creates a key for service accounts if the file has %j', async (left) => {
    await ensure();
    writeFileSync(join(folder, 'service-account.key'), left);
    expect(toMake()).toEqual(['service-account']);
    await ensure();
    expect(toMake()).toEqual([]);
    expect(text('service-account.key')).toContain('PRIVATE KEY');
  });

  it('replaces a link instead of following it', async () => {
    await ensure();
    const outside = join(folder, '..', 'outside');
    writeFileSync(outside, 'mine');
    chmodSync(outside, 0o644);
    rmSync(join(folder, 'admin.key'));
    symlinkSync(outside, join(folder, 'admin.key'));
    await ensure();
    expect(readFileSync(outside, 'utf8')).toBe('mine');
    expect(text('admin.key')).toContain('PRIVATE KEY');
  });
});
