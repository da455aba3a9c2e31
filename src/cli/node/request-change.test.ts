import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { Outcome } from '../../node/apply/contract.ts';
import type { OpenNode } from '../../node/daemon/open-node.ts';
import { type ReasonCode, reasonOf } from '../../node/reason-codes.ts';
import type { JsonObject } from '../../schema/json.ts';
import { testDeps } from '../testing.ts';
import { type ChangeRequestOptions, requestChange } from './request-change.ts';
import { nodeStandIn } from './testing.ts';

const standIn = nodeStandIn();

const outcome = (kind: Outcome['kind'], code: ReasonCode, reason = 'x'): Outcome => ({
  kind,
  code,
  reason,
  timings: [],
  slots: { bad: [] },
});
const NOTHING_LEFT = outcome('unchanged', 'ok/applied');

interface World extends ChangeRequestOptions {
  recovered?: Outcome;
  /** Of the order itself, without a daemon. */
  first?: Outcome;
  /** Of each look at its health; it is watched as long as there are any. */
  checks?: Outcome[];
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

describe('an order where a daemon runs', () => {
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
  ])('that was %s (%s) exits %i', async (kind, code, exitCode) => {
    await answering({ kind, code, reason: 'x' });
    expect(await order()).toMatchObject({ error: undefined, code: exitCode, stdout: `${kind}: x (${code})\n` });
    expect(await order({ json: true })).toMatchObject({ error: undefined, code: exitCode, stdout: '' });
  });

  it('is given to the daemon, and nothing is done here', async () => {
    const heard = await answering({ kind: 'verified', code: 'ok/applied', reason: 'x' });
    expect((await order()).did).toEqual([]);
    expect(heard).toEqual([{ do: 'status' }, { do: 'keep' }]);
  });

  it.each([
    ['applied', 'verify/running', 'next:  headstart node wait --for applied\n'],
    ['blocked', 'plan/obstructed', `next:  ${reasonOf('plan/obstructed').next}\n`],
    ['blocked', 'plan/needs-control-plane', ''],
    ['failed', 'code/of-a-newer-daemon', ''],
  ])('that was %s (%s) names what to do next, if there is anything', async (kind, code, next) => {
    await answering({ kind, code, reason: 'x' });
    expect((await order()).stderr).toBe(next);
  });

  it('calls what was never begun refused, for people and for programs', async () => {
    await answering({ code: 'plan/obstructed', reason: 'a folder\u001b[2J is there' });
    expect(await order()).toMatchObject({ code: 3, stdout: 'refused: a folder\ufffd[2J is there (plan/obstructed)\n' });
    const { stdout, printed } = await order({ json: true });
    expect([stdout, printed]).toEqual([
      '',
      [{ outcome: 'refused', code: 'plan/obstructed', reason: expect.any(String), next: expect.any(String) }],
    ]);
  });

  it('counts the changes for programs, and has no next step where the reason has none', async () => {
    await answering({ kind: 'applied', code: 'plan/staged', reason: 'x', changes: 3 });
    expect((await order({ json: true })).printed).toEqual([
      { outcome: 'applied', code: 'plan/staged', reason: 'x', changes: 3 },
    ]);
  });

  it('is not done with --once beside it, nor believed done where the daemon says nothing of it', async () => {
    await answering(undefined);
    const { error, did } = await order({ once: true });
    expect([error?.code, did]).toEqual(['node/daemon-runs', []]);
    expect((await order()).error).toMatchObject({ code: 'node/no-daemon', kept: 'Nothing was changed.' });
  });
});

describe('an order without a daemon', () => {
  it('is not done unless --once says so', async () => {
    const { error, did } = await order();
    expect(error).toBeInstanceOf(UserError);
    expect([error?.code, did]).toEqual(['node/no-daemon', []]);
  });

  it('recovers what was interrupted first, and says so', async () => {
    const recovered = outcome('reverted', 'apply/interrupted', 'it was taken back');
    const { did, stderr } = await order({ once: true, recovered });
    expect([did, stderr]).toEqual([['recover', 'order'], 'it was taken back (apply/interrupted)\n']);
  });

  it('is watched until its health is certain, and tells each thing it waits for once', async () => {
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

  it('that did not change anything is not watched', async () => {
    const { did } = await order({ once: true, first: outcome('blocked', 'plan/obstructed'), checks: [NOTHING_LEFT] });
    expect(did).toEqual(['recover', 'order']);
  });
});
