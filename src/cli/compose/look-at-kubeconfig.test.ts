import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lookAtKubeconfig } from './look-at-kubeconfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

function look(user: object, server = 'https://api.example:6443/x?token=s3cret') {
  const kubeconfig = join(folder, 'config');
  const text = {
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'lab', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'lab',
  };
  writeFileSync(kubeconfig, JSON.stringify(text));
  return lookAtKubeconfig({ kubeconfig }, { env: { PATH: '/bin' } });
}

const exec = (command: string) => ({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command } });

it.each([
  [{ token: 's3cret' }, { isThere: true, detail: 'context lab, server https://api.example:6443; not called' }],
  [exec('sh'), { isThere: true, detail: expect.stringMatching(/; not called; logs in with sh$/) }],
  [exec('no-such-login'), { isThere: false, detail: expect.stringContaining('no-such-login, which is not on PATH') }],
  [exec('/no/such/login'), { isThere: false, detail: expect.stringContaining('/no/such/login') }],
  [{ 'client-certificate': '/no/such.crt' }, { isThere: false, detail: expect.stringContaining('/no/such.crt') }],
])('a user %j gives %j, without a secret', async (user, finding) => {
  const found = await look(user);
  expect(found).toMatchObject(finding);
  expect(JSON.stringify(found)).not.toContain('s3cret');
});

it('does not wait for the writer of a pipe', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const found = await lookAtKubeconfig({ kubeconfig: pipe }, { env: {} });
  expect(found).toMatchObject({ isThere: false, detail: `${pipe} is not a regular file, so it was not read` });
});

it('says what is wrong with a kubeconfig, without its text', async () => {
  for (const server of ['s3cret:6443', 'https://name:s3cret@api.example:6443']) {
    const refused = await look({ token: 's3cret' }, server);
    expect(refused).toMatchObject({ isThere: false, fix: expect.stringContaining('--kubeconfig') });
    expect(JSON.stringify(refused)).not.toContain('s3cret');
  }
  writeFileSync(join(folder, 'bad'), 'users: [s3cret');
  const found = await lookAtKubeconfig({ kubeconfig: join(folder, 'bad') }, { env: {} });
  expect(found).toMatchObject({ isThere: false, detail: expect.stringMatching(/bad is not a kubeconfig$/) });
});
