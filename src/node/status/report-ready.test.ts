import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { type Imds, startImds } from '../../vms/qemu/metadata-service/start.ts';
import { anInstance } from '../../vms/qemu/metadata-service/testing.ts';
import { REASONS, type ReasonCode } from '../reason-codes.ts';
import { parseGoalState, type ReportDeps, renderHealth, reportToPlatform } from './report-ready.ts';

let imds: Imds;
let clock: ReturnType<typeof fakeClock>;
beforeEach(async () => {
  imds = await startImds({ instance: anInstance });
  clock = fakeClock();
});
afterEach(() => imds.stop());

const deps = (more: Partial<ReportDeps> = {}): ReportDeps => ({ clock, random: () => 0.5, url: imds.url, ...more });

describe('reportToPlatform', () => {
  it('reports ready with two requests', async () => {
    expect(await reportToPlatform({ kind: 'ready' }, deps())).toEqual({ isReported: true, attempts: 1 });
    expect(imds.reports.map(({ atMs: _, ...report }) => report)).toEqual([{ state: 'Ready' }]);
    expect(imds.requests.map(({ method, path, query }) => `${method} ${path}?${query}`)).toEqual([
      'GET /machine/?comp=goalstate',
      'POST /machine?comp=health',
    ]);
    expect(clock.sleptMs).toBe(0);
  });

  it('reports a failure with its code and summary only', async () => {
    await reportToPlatform({ kind: 'failed', code: 'config/invalid' }, deps());
    expect(imds.reports).toMatchObject([
      {
        state: 'NotReady',
        subStatus: 'ProvisioningFailed',
        description: `headstart config/invalid: ${REASONS['config/invalid'].summary}`,
      },
    ]);
  });

  it.each([
    'not-found',
    'gone',
    'throttled',
    'server-error',
    'unavailable',
    'reset',
    'cut-off',
    'empty',
    'partial-json',
  ] as const)('retries when the wire server misbehaves: %s', async (kind) => {
    imds.misbehave({ kind, on: 'wire', times: 3, retryAfterS: 7 });
    const retries: string[] = [];
    const result = await reportToPlatform({ kind: 'ready' }, deps({ onRetry: ({ reason }) => retries.push(reason) }));
    expect(result).toMatchObject({ isReported: true });
    expect(imds.reports).toHaveLength(1);
    expect(retries.length).toBeGreaterThan(0);
    expect(clock.sleptMs).toBeGreaterThanOrEqual(kind === 'throttled' ? 7000 : 100);
  });

  it('fetches the goal state again if it has changed meanwhile', async () => {
    let asked = 0;
    const moving = await startImds({
      instance: () => ({ ...anInstance, vmId: asked++ < 2 ? anInstance.vmId : 'c6d5526c-5ac2-4200-b6e2-56f2b70c5ab2' }),
    });
    try {
      expect(await reportToPlatform({ kind: 'ready' }, deps({ url: moving.url }))).toMatchObject({ isReported: true });
      expect(moving.reports).toHaveLength(1);
    } finally {
      await moving.stop();
    }
  });

  it('gives up at the deadline with the last reason, after pauses that grow to a limit', async () => {
    imds.misbehave({ kind: 'unavailable', on: 'wire' });
    const result = await reportToPlatform({ kind: 'ready' }, deps());
    expect(result).toMatchObject({
      isReported: false,
      code: 'platform/not-told',
      reason: expect.stringContaining('503'),
    });
    expect(clock.sleptMs).toBeGreaterThan(19 * 60_000);
    expect(clock.sleptMs).toBeLessThanOrEqual(20 * 60_000);
    expect(result.attempts).toBeLessThan(150);
  });

  it('ends immediately when it is aborted', async () => {
    imds.misbehave({ kind: 'hang', on: 'wire' });
    const stop = new AbortController();
    const reporting = reportToPlatform({ kind: 'ready' }, deps({ signal: stop.signal }));
    stop.abort(new Error('stopping'));
    await expect(reporting).rejects.toThrow('stopping');
  });

  it('ignores proxy settings in the environment', async () => {
    const before = process.env.http_proxy;
    process.env.http_proxy = 'http://127.0.0.1:1';
    try {
      expect(await reportToPlatform({ kind: 'ready' }, deps())).toMatchObject({ isReported: true });
    } finally {
      if (before === undefined) delete process.env.http_proxy;
      else process.env.http_proxy = before;
    }
  });
});

describe('a report', () => {
  const goal = { incarnation: '1', containerId: 'c', instanceId: 'i' };

  it('is well-formed for every reason code', () => {
    for (const code of Object.keys(REASONS) as ReasonCode[]) {
      const text = renderHealth({ kind: 'failed', code }, goal);
      expect(text.replace(/&(amp|lt|gt);/g, '')).not.toContain('&');
      const open = [...text.matchAll(/<([A-Za-z]+)/g)].map(([, name]) => name);
      const closed = [...text.matchAll(/<\/([A-Za-z]+)/g)].map(([, name]) => name);
      expect(open.sort()).toEqual(closed.sort());
    }
  });

  it('repeats the goal state with its entities, and throws only MetadataFailure', () => {
    const xml = '<GoalState><Incarnation> 3 </Incarnation><ContainerId>a&amp;b</ContainerId><InstanceId>i</InstanceId>';
    expect(renderHealth({ kind: 'ready' }, parseGoalState(xml))).toContain('<ContainerId>a&amp;b</ContainerId>');
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = () => parseGoalState(`<Incarnation>1</Incarnation><ContainerId>${text}</ContainerId>`);
        expect(read).toThrow(/the goal state has no/);
      }),
    );
  });
});
