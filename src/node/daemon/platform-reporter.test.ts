import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Imds, startImds } from '../../vms/qemu/metadata-service/start.ts';
import { anInstance } from '../../vms/qemu/metadata-service/testing.ts';
import type { NodeStatus } from '../status/node-status.ts';
import { createPlatformReporter } from './platform-reporter.ts';

describe('the platform', () => {
  let root: string;
  let imds: Imds;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'hs-'));
    imds = await startImds({ instance: anInstance });
  });
  afterEach(async () => {
    await imds.stop();
    rmSync(root, { recursive: true });
  });

  function world(platform: 'azure' | 'ec2' | undefined) {
    const stop = new AbortController();
    let endOfPatience = () => {};
    const clock = {
      nowMs: () => 0,
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          endOfPatience = resolve;
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    };
    const lines: string[] = [];
    const log = (_: string, message: string) => lines.push(message);
    const teller = createPlatformReporter({ root, platform, url: imds.url, clock, log, signal: stop.signal });
    const told = async () => {
      while (!lines.some((line) => line.startsWith('the platform was')))
        await new Promise((resolve) => setImmediate(resolve));
      return imds.reports;
    };
    return { teller, told, stop, endOfPatience: () => endOfPatience() };
  }

  it('hears that the node is up', async () => {
    const { teller, told } = world('azure');
    teller.ready();
    expect(await told()).toMatchObject([{ state: 'Ready' }]);
  });

  it('hears why a node does not come up, when that takes too long', async () => {
    const { teller, told, endOfPatience } = world('azure');
    teller.news({ code: 'config/invalid' } as NodeStatus);
    endOfPatience();
    expect(await told()).toMatchObject([{ state: 'NotReady' }]);
  });

  it('hears nothing from us where somebody else speaks, or where it is another one', async () => {
    mkdirSync(join(root, 'usr/bin'), { recursive: true });
    writeFileSync(join(root, 'usr/bin/cloud-init'), '');
    for (const platform of ['azure', 'ec2', undefined] as const) world(platform).teller.ready();
    await new Promise((resolve) => setImmediate(resolve));
    expect(imds.requests).toEqual([]);
  });
});
