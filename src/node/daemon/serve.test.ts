// The daemon with all around it, on a folder that stands in for a node; a program in a folder of its own stands in for systemd-notify.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLAGS_PATH, OWN_CONFIG_PATH } from '../aspects/kubelet.ts';
import { READY_MARK } from '../ready-mark.ts';
import type { NodeStatus } from '../status/node-status.ts';
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
  rmSync(root, { recursive: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** What systemd has heard so far, and what the node says. */
function serve() {
  put('bin/systemd-notify', `#!/bin/sh\nprintf '%s\\n' "$*" >> ${join(root, 'heard')}\n`);
  chmodSync(join(root, 'bin/systemd-notify'), 0o755);
  const statuses: NodeStatus[] = [];
  running = serveNode(
    {
      root,
      file: join(root, 'no-document'),
      env: { NOTIFY_SOCKET: '/nobody', PATH: join(root, 'bin') },
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

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the daemon', () => {
  it('tells systemd at once that it is ready where the node was configured in this boot: kubelet may be restarted by what it does next', async () => {
    put(READY_MARK, '');
    const { heard } = serve();
    await until(() => heard().includes('--ready'));
    expect(heard()).toContain('started again');
  });

  it('says nothing of the kind on a node that has yet to be configured', async () => {
    const { heard, statuses } = serve();
    await until(() => statuses.some(({ code }) => code === 'metadata/no-user-data'));
    expect(heard()).not.toContain('--ready');
  });

  it('does not end over a damaged memory, and lets kubelet start with the files it has', async () => {
    put('var/lib/headstart/node/state', 'x');
    for (const path of [OWN_CONFIG_PATH, FLAGS_PATH]) put(path, '');
    const { heard, statuses } = serve();
    await until(() => heard().includes('--ready'));
    expect(existsSync(join(root, READY_MARK))).toBe(true);
    await until(() => statuses.at(-1)?.isReady === true);
    expect(statuses.at(-1)).toMatchObject({ phase: 'Degraded', code: 'apply/memory-unreadable' });
  });

  it('keeps kubelet from starting over a damaged memory on a clone', async () => {
    put('var/lib/headstart/node/state', 'x');
    put('var/lib/headstart/clone-check/result', 'vm-id=a\n');
    for (const path of [OWN_CONFIG_PATH, FLAGS_PATH]) put(path, '');
    const { heard, statuses } = serve();
    await until(() => statuses.some(({ code }) => code === 'metadata/no-user-data'));
    expect([existsSync(join(root, READY_MARK)), heard().includes('--ready')]).toEqual([false, false]);
  });
});
