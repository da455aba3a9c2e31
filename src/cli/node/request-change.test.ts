import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { ApplyOutcome } from '../../node/apply/contract.ts';
import type { OpenNode } from '../../node/daemon/open-node.ts';
import { type ReasonCode, reasonFor } from '../../node/reason-codes.ts';
import type { JsonObject } from '../../schema/json.ts';
import { testDeps } from '../testing.ts';
import { type ChangeRequestOptions, requestChange } from './request-change.ts';
import { nodeStandIn } from './testing.ts';

const standIn = nodeStandIn();

const outcome = (kind: ApplyOutcome['kind'], code: ReasonCode, reason = 'x'): ApplyOutcome => ({
  kind,
  code,
  reason,
  timings: [],
  slots: { bad: [] },
});
const NOTHING_LEFT = outcome('unchanged', 'ok/applied');

interface World extends ChangeRequestOptions {
  recovered?: ApplyOutcome;
  /** The outcome of the change itself, without a daemon. */
  first?: ApplyOutcome;
  /** The outcome of each health check; the change is watched as long as there are any. */
  checks?: ApplyOutcome[];
}

async function order({ recovered = NOTHING_LEFT, first = NOTHING_LEFT, checks = [], ...options }: World = {}) {
  const { ran, deps } = testDeps({});
  const { root, clock } = standIn.folder;
  const did: string[] = [];
  const printed: object[] = [];
  const store = {
    recover: async () => {
      did.push('recover');
      return recovered;
    },
    slots: () => ({ bad: [], ...(checks.length > 0 && { watch: {} }) }),
    check: async () => {
      did.push('check');
      return checks.shift();
    },
  };
  const opened = { root, clock, store } as unknown as OpenNode; // what an order needs of it
  const error = await requestChange(opened, { do: 'keep' }, options, deps, {
    print: (body) => void printed.push(body),
    withoutDaemon: async () => {
      did.push('order');
      return first;
    },
  }).then(
    (code) => {
      ran.code = code;
    },
    (reason: unknown) => reason,
  );
  return { ...ran, did, printed, error: error as UserError | undefined, sleptMs: clock.sleptMs };
}

const answering = (result: JsonObject | undefined) =>
  standIn.daemonThat(({ do: what }) => (what === 'status' ? { status: {} } : { ...(result && { result }) }));

describe('requestChange with a daemon', () => {
  it.each([
    ['unchanged', 'ok/applied', 0],
    ['applied', 'verify/running', 0],
    ['verified', 'ok/applied', 0],
    ['reverted', 'plan/drift', 3],
    ['waiting', 'apply/busy', 3],
    ['refused', 'plan/drift', 3],
    ['blocked', 'plan/obstructed', 3],
    ['blocked', 'plan/needs-control-plane', 0],
    ['failed', 'apply/disk-full', 1],
    ['failed', 'plan/needs-control-plane', 1],
  ])('for the outcome %s (%s) exits %i', async (kind, code, exitCode) => {
    await answering({ kind, code, reason: 'x' });
    expect(await order()).toMatchObject({ error: undefined, code: exitCode, stdout: `${kind}: x (${code})\n` });
    expect(await order({ json: true })).toMatchObject({ error: undefined, code: exitCode, stdout: '' });
  });

  it('sends the request to the daemon, and changes nothing itself', async () => {
    const heard = await answering({ kind: 'verified', code: 'ok/applied', reason: 'x' });
    expect((await order()).did).toEqual([]);
    expect(heard).toEqual([{ do: 'status' }, { do: 'keep' }]);
  });

  it.each([
    ['applied', 'verify/running', 'next:  headstart node wait --for applied\n'],
    ['blocked', 'plan/obstructed', `next:  ${reasonFor('plan/obstructed').next}\n`],
    ['blocked', 'plan/needs-control-plane', ''],
    ['failed', 'code/of-a-newer-daemon', ''],
  ])('for the outcome %s (%s) prints the next step, if there is one', async (kind, code, next) => {
    await answering({ kind, code, reason: 'x' });
    expect((await order()).stderr).toBe(next);
  });

  it('prints refused for a request without an outcome, as text and as JSON', async () => {
    await answering({ code: 'plan/obstructed', reason: 'a folder\u001b[2J is there' });
    expect(await order()).toMatchObject({ code: 3, stdout: 'refused: a folder\ufffd[2J is there (plan/obstructed)\n' });
    const { stdout, printed } = await order({ json: true });
    expect([stdout, printed]).toEqual([
      '',
      [{ outcome: 'refused', code: 'plan/obstructed', reason: expect.any(String), next: expect.any(String) }],
    ]);
  });

  it('prints the number of changes as JSON, and no next step if the reason has none', async () => {
    await answering({ kind: 'applied', code: 'plan/staged', reason: 'x', changes: 3 });
    expect((await order({ json: true })).printed).toEqual([
      { outcome: 'applied', code: 'plan/staged', reason: 'x', changes: 3 },
    ]);
  });

  it('refuses --once, and fails if the daemon does not answer the request', async () => {
    await answering(undefined);
    const { error, did } = await order({ once: true });
    expect([error?.code, did]).toEqual(['node/daemon-runs', []]);
    expect((await order()).error).toMatchObject({ code: 'node/no-daemon', kept: 'Nothing was changed.' });
  });
});

describe('requestChange without a daemon', () => {
  it('refuses without --once', async () => {
    const { error, did } = await order();
    expect(error).toBeInstanceOf(UserError);
    expect([error?.code, did]).toEqual(['node/no-daemon', []]);
  });

  it('first recovers an interrupted change, and reports it', async () => {
    const recovered = outcome('reverted', 'apply/interrupted', 'it was taken back');
    const { did, stderr } = await order({ once: true, recovered });
    expect([did, stderr]).toEqual([['recover', 'order'], 'it was taken back (apply/interrupted)\n']);
  });

  it('watches the change until its health checks end, and prints each wait once', async () => {
    const running = outcome('applied', 'verify/running', 'it is watched');
    const { code, stdout, stderr, did, sleptMs } = await order({
      once: true,
      first: running,
      checks: [running, running, outcome('reverted', 'plan/drift', 'it was taken back')],
    });
    expect([code, stdout]).toEqual([3, 'reverted: it was taken back (plan/drift)\n']);
    expect(did).toEqual(['recover', 'order', 'check', 'check', 'check']);
    expect(stderr.match(/it is watched/g)).toHaveLength(1);
    expect(sleptMs).toBe(6000);
  });

  it('does not watch a request that changed nothing', async () => {
    const { did } = await order({ once: true, first: outcome('blocked', 'plan/obstructed'), checks: [NOTHING_LEFT] });
    expect(did).toEqual(['recover', 'order']);
  });
});
