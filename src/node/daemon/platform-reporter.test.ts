import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Imds, startImds } from '../../vms/qemu/metadata-service/start.ts';
import { anInstance } from '../../vms/qemu/metadata-service/testing.ts';
import type { NodeStatus } from '../status/node-status.ts';
import { createPlatformReporter } from './platform-reporter.ts';

describe('the platform reporter', () => {
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
    let endWait = () => {};
    const clock = {
      nowMs: () => 0,
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          endWait = resolve;
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    };
    const lines: string[] = [];
    const log = (_: string, message: string) => lines.push(message);
    const reporter = createPlatformReporter({ root, platform, url: imds.url, clock, log, signal: stop.signal });
    const reports = async () => {
      while (!lines.some((line) => /^(reported|could not report) to the platform: /.test(line)))
        await new Promise((resolve) => setImmediate(resolve));
      return imds.reports;
    };
    return { reporter, reports, stop, endWait: () => endWait() };
  }

  it('reports that the node is ready', async () => {
    const { reporter, reports } = world('azure');
    reporter.ready();
    expect(await reports()).toMatchObject([{ state: 'Ready' }]);
  });

  it('reports why the node is not ready when that takes too long', async () => {
    const { reporter, reports, endWait } = world('azure');
    reporter.news({ code: 'config/invalid' } as NodeStatus);
    endWait();
    expect(await reports()).toMatchObject([{ state: 'NotReady' }]);
  });

  it('does not report a VM as failed that the platform itself parked', async () => {
    const { reporter, endWait } = world('azure');
    reporter.news({ code: 'standby/parked' } as NodeStatus);
    endWait();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(imds.requests).toEqual([]);
  });

  it('reports nothing if cloud-init reports, or on another platform', async () => {
    mkdirSync(join(root, 'usr/bin'), { recursive: true });
    writeFileSync(join(root, 'usr/bin/cloud-init'), '');
    for (const platform of ['azure', 'ec2', undefined] as const) world(platform).reporter.ready();
    await new Promise((resolve) => setImmediate(resolve));
    expect(imds.requests).toEqual([]);
  });
});
