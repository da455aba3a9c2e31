// The complete daemon on a fake node in a folder, with a fake systemd-notify.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startImds } from '../../vms/qemu/metadata-service/start.ts';
import { anInstance } from '../../vms/qemu/metadata-service/testing.ts';
import { FLAGS_PATH, OWN_CONFIG_PATH } from '../desired/aspects/kubelet.ts';
import type { NodeStatus } from '../status/node-status.ts';
import { READY_MARK } from '../status/ready-mark.ts';
import { recordSteps } from '../status/steps-file.ts';
import { serveNode } from './serve.ts';

let root: string;
let stop: AbortController;
let running: Promise<void> | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hs-'));
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** `heard`: the messages to systemd so far. */
function serve(options: { waitFor?: string; file?: string | undefined; platform?: 'azure'; url?: string } = {}) {
  put('bin/systemd-notify', `#!/bin/sh\nprintf '%s\\n' "$*" >> ${join(root, 'heard')}\n`);
  chmodSync(join(root, 'bin/systemd-notify'), 0o755);
  const statuses: NodeStatus[] = [];
  running = serveNode(
    {
      root,
      file: join(root, 'no-document'),
      ...options,
      env: { NOTIFY_SOCKET: '/unused', PATH: join(root, 'bin') },
      log: () => {},
      steps: recordSteps({ monotonicUs: () => 0, wallUs: () => 0 }),
      onHangUp: () => {},
      onStatus: (status) => statuses.push(status),
    },
    stop.signal,
  );
  const heard = () => (existsSync(join(root, 'heard')) ? readFileSync(join(root, 'heard'), 'utf8') : '');
  return { heard, statuses };
}

/** The minimum that an apply needs: a release file, and programs that exit with 0. */
function standIn(): void {
  const release = {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageRelease',
    name: 'test',
    version: '1',
    kubernetesVersion: '1.34.2',
  };
  put('usr/lib/headstart/release.json', JSON.stringify(release));
  put(
    'etc/kubernetes/kubelet/config.yaml',
    '{"apiVersion":"kubelet.config.k8s.io/v1beta1","kind":"KubeletConfiguration"}',
  );
  put('etc/containerd/config.toml', 'version = 2\n');
  put('proc/sys/kernel/hostname', 'localhost\n');
  put('etc/machine-id', '0123456789abcdef0123456789abcdef\n');
  for (const name of ['nft', 'modprobe', 'systemctl']) {
    put(`bin/${name}`, '#!/bin/sh\nexit 0\n');
    chmodSync(join(root, 'bin', name), 0o755);
  }
  vi.stubEnv('PATH', `${join(root, 'bin')}:${process.env.PATH}`);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the daemon', () => {
  it('reports ready first if the node was configured in this boot, because recovery may restart kubelet', async () => {
    put(READY_MARK, '');
    const { heard } = serve();
    await until(() => heard().includes('--ready'));
    expect(heard()).toContain('restarted on a node');
  });

  it('does not report ready on a node that is not configured', async () => {
    const { heard, statuses } = serve();
    await until(() => statuses.some(({ code }) => code === 'metadata/no-user-data'));
    expect(heard()).not.toContain('--ready');
  });

  it('lets kubelet start with the files on disk if the saved state is damaged', async () => {
    put('var/lib/headstart/node/state', 'x');
    for (const path of [OWN_CONFIG_PATH, FLAGS_PATH]) put(path, '');
    const { heard, statuses } = serve();
    await until(() => heard().includes('--ready'));
    expect(existsSync(join(root, READY_MARK))).toBe(true);
    await until(() => statuses.at(-1)?.isReady === true);
    expect(statuses.at(-1)).toMatchObject({ phase: 'Degraded', code: 'apply/memory-unreadable' });
  });

  it('reads the VM id of the clone check only after its turn has come', async () => {
    standIn();
    put(
      'document',
      'apiVersion: headstart.dev/v1\nkind: NodeConfig\nmetadata: {generation: 1}\nspec: {kubernetes: {version: 1.34.2}}\n',
    );
    const { statuses } = serve({ waitFor: join(root, 'run/headstart/may-begin'), file: join(root, 'document') });
    for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(statuses).toEqual([]);
    put('var/lib/headstart/clone-check/result', 'vm-id=a\n');
    put('run/headstart/may-begin', '');
    await until(() => statuses.at(-1)?.active !== undefined);
    expect(readFileSync(join(root, 'var/lib/headstart/node/state'), 'utf8')).toMatch(/"vmId":\s*"a"/);
  });

  it('does not let kubelet start on a clone with damaged saved state', async () => {
    put('var/lib/headstart/node/state', 'x');
    put('var/lib/headstart/clone-check/result', 'vm-id=a\n');
    for (const path of [OWN_CONFIG_PATH, FLAGS_PATH]) put(path, '');
    const { heard, statuses } = serve();
    await until(() => statuses.some(({ code }) => code === 'metadata/no-user-data'));
    expect([existsSync(join(root, READY_MARK)), heard().includes('--ready')]).toEqual([false, false]);
  });

  it('finishes the boot in standby without its mark, and starts kubelet when the instance is claimed', async () => {
    standIn();
    put('bin/systemctl', `#!/bin/sh\nprintf '%s\\n' "$*" >> ${join(root, 'systemctl')}\n`);
    const document =
      'apiVersion: headstart.dev/v1\nkind: NodeConfig\nmetadata: {generation: 1}\nspec: {kubernetes: {version: 1.34.2}}\n';
    let isVmInStandbyPool = true;
    const userData = Buffer.from(document).toString('base64');
    const imds = await startImds({ instance: () => ({ ...anInstance, userData, isVmInStandbyPool }) });
    try {
      const { heard, statuses } = serve({ file: undefined, platform: 'azure', url: imds.url });
      await until(() => statuses.some(({ code }) => code === 'standby/waiting') && heard().includes('--ready'));
      await until(() => existsSync(join(root, 'var/lib/headstart/node/standby.json')));
      expect(existsSync(join(root, READY_MARK))).toBe(false);
      isVmInStandbyPool = false;
      const started = () => existsSync(join(root, 'systemctl')) && readFileSync(join(root, 'systemctl'), 'utf8');
      await until(() => String(started()).includes('start --no-block'));
      expect(started()).toContain('start --no-block headstart-node-ready.target kubelet.service');
      expect(existsSync(join(root, READY_MARK))).toBe(true);
      await until(() => !existsSync(join(root, 'var/lib/headstart/node/standby.json')));
    } finally {
      await imds.stop();
    }
  });
});
