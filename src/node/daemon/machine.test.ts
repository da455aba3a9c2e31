// Properties of the daemon's decisions over complete runs, with events and answers in any order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApplyOutcome, Slots } from '../apply/contract.ts';
import type { StandbyReport } from '../metadata/source.ts';
import { INITIAL, nextDueMs, phaseStatusOf, step } from './machine.ts';
import type { DaemonEffect, DaemonEvent, DaemonOrder, DaemonState, ReadDocument } from './state.ts';
import { runs, START, slot, watch } from './states.testing.ts';

type Bare = DaemonEvent extends infer E ? (E extends DaemonEvent ? Omit<E, 'nowMs'> : never) : never;

const IMMEDIATE = ['publish', 'answer', 'report-ready', 'report-prepared', 'remember-standby', 'end'];

/** Runs the state machine. Effects stay in `pending` until the test answers them. */
class Life {
  state: DaemonState = INITIAL;
  nowMs = START;
  readonly all: DaemonEffect[] = [];
  pending: DaemonEffect[] = [];

  dispatch(event: Bare): readonly DaemonEffect[] {
    const { state, effects } = step(this.state, { ...event, nowMs: this.nowMs } as DaemonEvent);
    this.state = state;
    this.all.push(...effects);
    this.pending.push(...effects.filter(({ do: what }) => !IMMEDIATE.includes(what)));
    return effects;
  }

  answer(what: DaemonEffect['do'], event: Bare): readonly DaemonEffect[] {
    const at = this.pending.findIndex((effect) => effect.do === what);
    expect(at, `${what} is pending: ${this.pending.map((one) => one.do)}`).toBeGreaterThanOrEqual(0);
    this.pending.splice(at, 1);
    return this.dispatch(event);
  }

  pass(ms: number): readonly DaemonEffect[] {
    this.nowMs += ms;
    return this.dispatch({ is: 'time' });
  }

  get phase(): string {
    const { phase, code } = phaseStatusOf(this.state);
    return `${phase} ${code}`;
  }

  names(): string[] {
    return this.pending.map((effect) => effect.do);
  }
}

const outcome = (kind: ApplyOutcome['kind'], slots: Slots, code: ApplyOutcome['code'] = 'ok/applied'): Bare => ({
  is: 'finished',
  outcome: { kind, code, reason: `it is ${kind}`, timings: [], slots },
});
const document = (generation: number, more: Partial<ReadDocument> = {}): Bare => ({
  is: 'read',
  document: {
    generation,
    documentHash: `document-${generation}`,
    hash: `hash-${generation}`,
    pollMs: 60_000,
    jitterMs: 0,
    ...more,
  },
});

function started(slots: Slots = runs(undefined), isForeign = false, isMemoryLost = false): Life {
  const life = new Life();
  life.dispatch({ is: 'started', slots, isForeign, seed: 0.5, isMemoryLost });
  return life;
}

/** A node that runs a verified generation. */
function inService(generation = 1): Life {
  const life = started(runs(generation));
  life.answer('recover', outcome('unchanged', runs(generation)));
  life.answer('reconcile', outcome('unchanged', runs(generation)));
  life.answer('fetch', { is: 'fetched', raw: `raw-${generation}` });
  life.answer('read', document(generation));
  life.answer('apply', outcome('unchanged', runs(generation)));
  expect(life.phase).toBe('Applied ok/applied');
  return life;
}

function toNextFetch(life: Life): void {
  life.pass(life.state.due.fetchMs - life.nowMs);
}

describe('a first boot', () => {
  it('fetches while it recovers, and lets kubelet start as soon as a document is applied, before any other report', () => {
    const life = started();
    expect(life.names()).toEqual(['recover', 'fetch']);
    expect(life.phase).toBe('Fetching metadata/waiting');
    life.answer('recover', outcome('unchanged', runs(undefined)));
    life.answer('fetch', { is: 'fetched', raw: 'raw-1' });
    life.answer('read', document(1));
    expect(life.phase).toBe('Applying apply/running');
    const effects = life.answer('apply', outcome('applied', runs(1, { watch }), 'verify/running'));
    expect(effects.map((effect) => effect.do)).toEqual(['report-ready', 'publish']);
    expect(life.phase).toBe('Verifying verify/running');
    life.pass(5000);
    life.answer('check', outcome('verified', runs(1)));
    expect(life.phase).toBe('Applied ok/applied');
  });

  it('does not let kubelet start with a document that is refused, blocked or fails', () => {
    for (const bad of [
      (life: Life) => life.answer('read', { is: 'refused', why: { code: 'config/invalid', detail: 'x' } }),
      (life: Life) => {
        life.answer('read', document(1));
        life.answer('apply', outcome('failed', runs(undefined), 'apply/disk-full'));
      },
      (life: Life) => {
        life.answer('read', document(1));
        life.answer('apply', outcome('blocked', runs(undefined), 'plan/obstructed'));
      },
    ]) {
      const life = started();
      life.answer('recover', outcome('unchanged', runs(undefined)));
      life.answer('fetch', { is: 'fetched', raw: 'raw-1' });
      bad(life);
      expect(life.all).not.toContainEqual({ do: 'report-ready' });
      expect(life.state.isReady).toBe(false);
    }
  });

  it('fetches every few seconds while there is no document, and reports that', () => {
    const life = started();
    life.answer('recover', outcome('unchanged', runs(undefined)));
    life.answer('fetch', { is: 'fetched', raw: undefined });
    expect(life.phase).toBe('Idle metadata/no-user-data');
    expect(life.state.due.fetchMs - life.nowMs).toBeLessThanOrEqual(6000);
  });

  it('is degraded after a while without metadata, and continues', () => {
    const life = started();
    life.answer('recover', outcome('unchanged', runs(undefined)));
    life.dispatch({ is: 'fetch-trouble', why: { code: 'metadata/refused', detail: 'x' }, isDegraded: false });
    expect(life.phase).toBe('Fetching metadata/refused');
    life.dispatch({ is: 'fetch-trouble', why: { code: 'metadata/refused', detail: 'x' }, isDegraded: true });
    expect(life.phase).toBe('Degraded metadata/refused');
    life.answer('fetch', { is: 'fetched', raw: 'raw-1' });
    life.answer('read', document(1));
    life.answer('apply', outcome('applied', runs(1)));
    expect(life.phase).toBe('Applied ok/applied');
  });
});

describe('a boot of a node that was configured before', () => {
  it('starts kubelet with the active document, without waiting for the metadata service', () => {
    const life = started(runs(3));
    expect(life.phase).toBe('Applied ok/applied');
    life.answer('recover', outcome('unchanged', runs(3)));
    const effects = life.answer('reconcile', outcome('applied', runs(3)));
    expect(effects[0]).toEqual({ do: 'report-ready' });
    expect(life.names()).toEqual(['fetch']);
  });

  it('starts kubelet even if the reconcile failed', () => {
    for (const end of [
      outcome('failed', runs(3), 'apply/disk-full'),
      { is: 'broke', lane: 'work', detail: 'x' } as const,
    ]) {
      const life = started(runs(3));
      life.answer('recover', outcome('unchanged', runs(3)));
      life.answer('reconcile', end);
      expect(life.all).toContainEqual({ do: 'report-ready' });
    }
  });

  it('waits a while for a document staged for this boot, and applies it before kubelet starts', () => {
    const slots = runs(3, { assigned: slot(4, { number: 0 }) });
    const life = started(slots);
    life.answer('recover', outcome('unchanged', slots));
    expect(life.names()).toEqual(['fetch']);
    life.answer('fetch', { is: 'fetched', raw: 'raw-4' });
    life.answer('read', document(4));
    expect(life.answer('apply', outcome('applied', runs(4)))[0]).toEqual({ do: 'report-ready' });

    const late = started(slots);
    late.answer('recover', outcome('unchanged', slots));
    late.pass(30_000);
    expect(late.names()).toEqual(['fetch', 'reconcile']);
  });

  it("does not start kubelet with the donor's document", () => {
    const life = started(runs(3), true);
    life.answer('recover', outcome('unchanged', runs(3)));
    expect(life.names()).toEqual(['fetch']);
    expect(life.pass(3_600_000)).toEqual([]);
    life.answer('fetch', { is: 'fetched', raw: 'raw-3' });
    life.answer('read', document(3));
    expect(life.state.isReady).toBe(false);
    expect(life.answer('apply', outcome('applied', runs(3)))[0]).toEqual({ do: 'report-ready' });
    expect(life.state.isForeign).toBe(false);
  });
});

/** A new instance in a standby pool, with generation 1 applied. */
function inStandby(): Life {
  const life = started();
  life.answer('recover', outcome('unchanged', runs(undefined)));
  life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'in' } });
  life.answer('read', document(1));
  life.answer('apply', outcome('applied', runs(1, { watch }), 'verify/running'));
  return life;
}

/** A daemon that starts on an instance that was in standby; `isWoken`: in a new boot. */
function restartedInStandby(slots: Slots, isWoken = true): Life {
  const life = new Life();
  const standby = { where: 'pool', sinceMs: START - 3_600_000, isWoken } as const;
  life.dispatch({ is: 'started', slots, isForeign: false, seed: 0.5, standby });
  return life;
}

const readies = (life: Life) => life.all.filter((effect) => effect.do === 'report-ready').length;

describe('an instance in standby', () => {
  it('does everything but start kubelet, reports that it is prepared, and reads its metadata every second', () => {
    const life = inStandby();
    expect(life.all).toContainEqual({ do: 'remember-standby', standby: { where: 'pool', sinceMs: START } });
    expect(life.all.filter((effect) => effect.do === 'report-prepared')).toHaveLength(1);
    expect([life.phase, life.state.isReady, readies(life)]).toEqual(['Applied standby/waiting', false, 0]);
    for (let polls = 0; polls < 700; polls++) {
      life.pass(1000);
      if (life.names().includes('reconcile')) life.answer('reconcile', outcome('unchanged', runs(1, { watch })));
      life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'in' } });
    }
    expect(life.names()).toEqual([]);
    expect([readies(life), life.all.some((effect) => effect.do === 'check')]).toEqual([0, false]);
  });

  it('saves that it is in standby before it changes the node', () => {
    const names = inStandby().all.map((effect) => effect.do);
    expect(names.indexOf('remember-standby')).toBeLessThan(names.indexOf('read'));
  });

  it.each([{ is: 'out' } as const, undefined])(
    'joins when the metadata says %o, and then watches its health',
    (standby) => {
      const life = inStandby();
      life.pass(60_000);
      const effects = life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby });
      expect(effects.slice(0, 2)).toEqual([{ do: 'report-ready' }, { do: 'remember-standby', standby: undefined }]);
      expect(life.state.standby).toMatchObject({
        left: { atMs: START + 60_000, by: 'metadata' },
        joinedMs: START + 60_000,
      });
      expect(life.phase).toBe('Verifying verify/running');
      life.pass(5000);
      expect(life.names()).toContain('check');
    },
  );

  it('applies a document that changed in standby before it joins, without waiting for a turn', () => {
    const life = inStandby();
    life.pass(1000);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2', standby: { is: 'in' } });
    life.answer('read', document(2, { jitterMs: 600_000 }));
    life.answer('apply', outcome('applied', runs(2, { watch }), 'verify/running'));
    expect([life.phase, readies(life)]).toEqual(['Applied standby/waiting', 0]);
  });

  it('applies a document that comes with the claim before it joins', () => {
    const life = inStandby();
    life.pass(1000);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2', standby: { is: 'out' } });
    expect([life.names(), readies(life)]).toEqual([['read'], 0]);
    life.answer('read', document(2));
    expect(readies(life)).toBe(0);
    expect(life.answer('apply', outcome('applied', runs(2)))[0]).toEqual({ do: 'report-ready' });
  });

  it('joins with the applied document if the one that comes with the claim is refused', () => {
    const life = inStandby();
    life.pass(1000);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2', standby: { is: 'out' } });
    life.answer('read', { is: 'refused', why: { code: 'config/invalid', detail: 'x' } });
    expect([readies(life), life.phase]).toEqual([1, 'Blocked config/invalid']);
  });

  it('that is claimed during an apply joins when the apply has ended', () => {
    const life = started();
    life.answer('recover', outcome('unchanged', runs(undefined)));
    life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'in' } });
    life.answer('read', document(1));
    life.pass(1000);
    life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'out' } });
    expect(readies(life)).toBe(0);
    life.answer('apply', outcome('applied', runs(1)));
    expect(readies(life)).toBe(1);
  });

  it('that has no valid document does not join when it is claimed, until it has one', () => {
    const life = started();
    life.answer('recover', outcome('unchanged', runs(undefined)));
    life.answer('fetch', { is: 'fetched', raw: 'raw-0', standby: { is: 'in' } });
    life.answer('read', { is: 'refused', why: { code: 'config/invalid', detail: 'x' } });
    life.pass(1000);
    life.answer('fetch', { is: 'fetched', raw: 'raw-0', standby: { is: 'out' } });
    expect(readies(life)).toBe(0);
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-1' });
    life.answer('read', document(1));
    life.answer('apply', outcome('applied', runs(1)));
    expect(readies(life)).toBe(1);
  });

  it('that was killed and rebooted stays in standby until the metadata says that it was claimed', () => {
    const life = restartedInStandby(runs(1));
    life.answer('recover', outcome('unchanged', runs(1)));
    life.answer('reconcile', outcome('unchanged', runs(1)));
    expect([readies(life), life.phase]).toEqual([0, 'Applied standby/waiting']);
    life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'in' } });
    life.answer('read', document(1));
    life.answer('apply', outcome('unchanged', runs(1)));
    expect(readies(life)).toBe(0);
    life.pass(1000);
    life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'out' } });
    expect(readies(life)).toBe(1);
  });

  it('that is started by its claim applies a document that changed while it was stopped, before it joins', () => {
    const life = restartedInStandby(runs(1));
    life.answer('recover', outcome('unchanged', runs(1)));
    life.answer('fetch', { is: 'fetched', raw: 'raw-2', standby: { is: 'out' } });
    life.answer('reconcile', outcome('unchanged', runs(1)));
    expect([readies(life), life.names()]).toEqual([0, ['read']]);
    life.answer('read', document(2));
    life.answer('apply', outcome('applied', runs(2)));
    expect(readies(life)).toBe(1);
  });

  it('that was started or resumed joins after five silent minutes, and says so', () => {
    const life = restartedInStandby(runs(1));
    life.answer('recover', outcome('unchanged', runs(1)));
    life.answer('reconcile', outcome('unchanged', runs(1)));
    const why = { code: 'metadata/refused', detail: 'x' } as const;
    life.dispatch({ is: 'fetch-trouble', why, isDegraded: false });
    expect(life.state.notes.map(({ code }) => code)).toEqual(['standby/unconfirmed']);
    life.pass(299_999);
    expect(readies(life)).toBe(0);
    expect(nextDueMs(life.state)).toBe(START + 300_000);
    life.pass(1);
    expect([readies(life), life.state.notes.map(({ code }) => code)]).toEqual([1, ['standby/assumed-claimed']]);
  });

  it('that runs through waits for its metadata for as long as they are silent, and joins when an operator orders it', () => {
    const life = inStandby();
    life.pass(1000);
    const why = { code: 'metadata/refused', detail: 'x' } as const;
    life.dispatch({ is: 'fetch-trouble', why, isDegraded: false });
    for (let minutes = 0; minutes < 600; minutes++) {
      life.pass(60_000);
      if (life.names().includes('reconcile')) life.answer('reconcile', outcome('unchanged', runs(1)));
    }
    expect(readies(life)).toBe(0);
    life.dispatch({ is: 'told-to-join' });
    expect([readies(life), life.state.standby?.left?.by]).toEqual([1, 'order']);
    life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'in' } });
    expect(life.state.isReady).toBe(true);
    expect(life.state.notes.map(({ code }) => code)).toEqual(['standby/already-joined']);
  });

  it('does not take an answer that it does not understand, or an older service, for a claim', () => {
    const life = inStandby();
    life.pass(1000);
    life.answer('fetch', { is: 'fetched', raw: undefined, standby: { is: 'unknown', oddity: 'x' } });
    expect([readies(life), life.state.notes.map(({ code }) => code)]).toEqual([
      0,
      expect.arrayContaining(['standby/not-understood', 'standby/unconfirmed']),
    ]);
  });

  it('reads its metadata at once when it was resumed, instead of waiting for the running fetch', () => {
    const life = inStandby();
    life.pass(1000);
    expect(life.names()).toEqual(['fetch']);
    expect(life.dispatch({ is: 'resumed' })).toContainEqual({ do: 'fetch', isOrdered: false });
    expect(life.state.standby?.isWoken).toBe(true);
  });

  it('that the platform parked joins like a new instance as soon as it has a document', () => {
    const life = started();
    life.answer('recover', outcome('unchanged', runs(undefined)));
    life.answer('fetch', { is: 'fetched', raw: undefined, standby: { is: 'parked' } });
    expect(life.phase).toBe('Idle standby/parked');
    expect(life.state.due.fetchMs - life.nowMs).toBe(1000);
    life.pass(1000);
    life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'parked' } });
    life.answer('read', document(1));
    life.answer('apply', outcome('applied', runs(1)));
    expect(readies(life)).toBe(1);
  });
});

describe('a node that was never in standby', () => {
  it('is not affected: its first effects and the time of its next fetch are the same', () => {
    const life = started();
    life.answer('recover', outcome('unchanged', runs(undefined)));
    life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'unknown' } });
    life.answer('read', document(1));
    expect(life.answer('apply', outcome('applied', runs(1)))[0]).toEqual({ do: 'report-ready' });
    expect(life.state.standby).toBeUndefined();
    expect(life.all.some(({ do: what }) => what === 'remember-standby' || what === 'report-prepared')).toBe(false);
  });

  it('ignores a resume, an order to join and, once kubelet runs, a pool', () => {
    const life = inService();
    expect(life.dispatch({ is: 'resumed' })).toEqual([]);
    expect(life.dispatch({ is: 'told-to-join' })).toEqual([]);
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-1', standby: { is: 'in' } });
    expect([life.state.standby, life.state.notes.map(({ code }) => code)]).toEqual([
      undefined,
      ['standby/already-joined'],
    ]);
  });
});

describe('a node in service', () => {
  it('reads, changes and publishes nothing while the metadata stays the same', () => {
    const life = inService();
    const before = life.all.length;
    for (let minute = 0; minute < 8; minute++) {
      toNextFetch(life);
      life.answer('fetch', { is: 'fetched', raw: 'raw-1' });
    }
    expect(life.all.slice(before).every((effect) => effect.do === 'fetch')).toBe(true);
  });

  it('applies a new document and publishes the result', () => {
    const life = inService();
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.answer('read', document(2));
    life.answer('apply', outcome('applied', runs(2, { watch }), 'verify/running'));
    life.pass(5000);
    life.answer(
      'check',
      outcome(
        'reverted',
        runs(1, { bad: [{ hash: 'hash-2', generation: 2, code: 'verify/unit-failed', atMs: 0 }] }),
        'verify/unit-failed',
      ),
    );
    expect(life.phase).toBe('RolledBack verify/unit-failed');
    // The same document is not read again, and a healthy old document does not change the status.
    toNextFetch(life);
    expect(life.answer('fetch', { is: 'fetched', raw: 'raw-2' })).toEqual([]);
    life.pass(600_000);
    life.answer('reconcile', outcome('unchanged', runs(1)));
    expect(life.phase).toBe('RolledBack verify/unit-failed');
    life.answer('fetch', { is: 'fetched', raw: 'raw-3' });
    life.answer('read', document(3));
    life.answer('apply', outcome('applied', runs(3)));
    expect(life.phase).toBe('Applied ok/applied');
  });

  it('applies the document that it read, even if others arrive or are ordered meanwhile', () => {
    const life = inService();
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.dispatch({ is: 'signalled', by: 'SIGHUP' });
    life.answer('fetch', { is: 'fetched', raw: 'raw-3' });
    life.dispatch({ is: 'ordered', order: { id: 1, what: 'apply', raw: 'raw-4' } });
    life.answer('read', document(2));
    expect(life.pending.at(-1)).toEqual({ do: 'apply', raw: 'raw-2', isOrdered: false });
    life.answer('apply', outcome('applied', runs(2)));
    expect(life.pending.at(-1)).toEqual({ do: 'read', raw: 'raw-4', allowsOlder: true });
    life.answer('read', document(4));
    expect(life.pending.at(-1)).toEqual({ do: 'apply', raw: 'raw-4', isOrdered: true });
    life.answer('apply', outcome('applied', runs(4)));
    life.answer('read', document(3));
    expect(life.pending.at(-1)).toEqual({ do: 'apply', raw: 'raw-3', isOrdered: false });
  });

  it('retries a waiting document without publishing the same status twice', () => {
    const life = inService();
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.answer('read', document(2));
    life.answer('apply', outcome('waiting', runs(1, { assigned: slot(2) }), 'plan/outside-window'));
    expect(life.phase).toBe('Planned plan/outside-window');
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.answer('read', document(2));
    const effects = life.answer('apply', outcome('waiting', runs(1, { assigned: slot(2) }), 'plan/outside-window'));
    expect(effects).toEqual([]);
    expect(life.phase).toBe('Planned plan/outside-window');
  });

  it('reports a refused document while the old one runs, and clears the status when it is removed', () => {
    const life = inService();
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-bad' });
    life.answer('read', { is: 'refused', why: { code: 'config/invalid', detail: 'spec.x' } });
    expect(life.phase).toBe('Blocked config/invalid');
    life.pass(600_000);
    life.answer('reconcile', outcome('unchanged', runs(1)));
    expect(life.phase).toBe('Blocked config/invalid');
    life.answer('fetch', { is: 'fetched', raw: undefined });
    expect(life.phase).toBe('Applied ok/applied');
    expect(life.state.notes.map((note) => note.code)).toEqual(['config/disappeared']);
  });

  it('waits for its turn if the document has a jitter, except for an order', () => {
    const life = inService();
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.answer('read', document(2, { jitterMs: 600_000 }));
    expect(life.phase).toBe('Planned plan/waiting-turn');
    life.pass(299_000);
    expect(life.names()).not.toContain('read');
    life.pass(1000);
    life.answer('read', document(2, { jitterMs: 600_000 }));
    expect(life.names()).toContain('apply');
    expect(life.phase).toBe('Applying apply/running');
  });

  it('is Applied if only changes for the control plane are left', () => {
    const life = inService();
    life.pass(600_000);
    life.answer('reconcile', outcome('blocked', runs(1), 'plan/needs-control-plane'));
    expect(life.phase).toBe('Applied ok/applied');
    expect(life.state.notes).toEqual([{ code: 'plan/needs-control-plane', detail: 'it is blocked' }]);
  });

  it('reports drift, and clears the status when it is repaired', () => {
    const life = inService();
    life.pass(600_000);
    life.answer('reconcile', outcome('blocked', runs(1), 'plan/drift'));
    expect(life.phase).toBe('Blocked plan/drift');
    life.pass(600_000);
    life.answer('reconcile', outcome('unchanged', runs(1)));
    expect(life.phase).toBe('Applied ok/applied');
  });
});

describe('a document that cannot be applied', () => {
  it('is retried, but not at every fetch during fast polling', () => {
    const life = started();
    life.answer('recover', outcome('unchanged', runs(undefined)));
    let tries = 0;
    for (const endMs = life.nowMs + 600_000; life.nowMs < endMs; ) {
      if (life.names().includes('fetch')) life.answer('fetch', { is: 'fetched', raw: 'raw-1' });
      if (life.names().includes('read')) life.answer('read', document(1));
      if (life.names().includes('apply')) {
        tries++;
        life.answer('apply', outcome('failed', runs(undefined), 'apply/disk-full'));
      }
      life.pass(Math.max(1, (nextDueMs(life.state) ?? 0) - life.nowMs));
    }
    expect(tries).toBeGreaterThan(10);
    expect(tries).toBeLessThanOrEqual(20);
    expect(life.all.filter((effect) => effect.do === 'publish').length).toBeLessThanOrEqual(4);
  });
});

describe('an announcement', () => {
  it('triggers a fetch now and every few seconds, and is reported when it is overdue', () => {
    const life = inService();
    life.dispatch({ is: 'announced', announcement: { generation: 2, documentHash: 'document-2' } });
    let looks = 0;
    while (life.state.notes.length === 0) {
      if (life.names().includes('fetch')) {
        looks++;
        life.answer('fetch', { is: 'fetched', raw: 'raw-1' });
      }
      const due = nextDueMs(life.state)!;
      life.pass(Math.max(0, due - life.nowMs));
    }
    expect(looks).toBeGreaterThan(15);
    expect(looks).toBeLessThan(40);
    expect(life.state.notes[0]!.code).toBe('config/announced-not-delivered');
    // The document arrives late.
    if (!life.names().includes('fetch')) toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.answer('read', document(2));
    life.answer('apply', outcome('applied', runs(2)));
    expect([life.phase, life.state.notes]).toEqual(['Applied ok/applied', []]);
  });

  it.each([
    ['of the active document', { generation: 1, documentHash: 'document-1' }],
    ['of the active generation', { generation: 1 }],
    ['of an older generation', { generation: 0, documentHash: 'document-0' }],
  ])('%s is ignored', (_, announcement) => {
    const life = inService();
    expect(life.dispatch({ is: 'announced', announcement })).toEqual([]);
    expect(life.state.announced).toBeUndefined();
  });

  it('that every change of the Node repeats does not keep the daemon busy', () => {
    const life = inService();
    const announcement = { generation: 2, documentHash: 'document-2' };
    life.dispatch({ is: 'announced', announcement });
    life.answer('fetch', { is: 'fetched', raw: 'raw-1' });
    const { fetchMs } = life.state.due;
    for (let i = 0; i < 10; i++) expect(life.dispatch({ is: 'announced', announcement })).toEqual([]);
    expect(life.state.due.fetchMs).toBe(fetchMs);
  });
});

describe('work without an outcome', () => {
  const error = { code: 'apply/memory-unreadable', message: 'generation 1 cannot be read' };

  it('is not retried immediately, and does not keep kubelet from starting', () => {
    const life = started(runs(1));
    life.answer('recover', outcome('unchanged', runs(1)));
    const effects = life.answer('reconcile', { is: 'declined', error });
    expect(effects.map((effect) => effect.do)).toEqual(['report-ready', 'publish']);
    expect([life.phase, life.names()]).toEqual(['Degraded apply/memory-unreadable', ['fetch']]);
    life.pass(600_000);
    expect(life.names()).toEqual(['fetch', 'reconcile']);
  });

  it('does not delay the reconcile if only the delivered document cannot be read', () => {
    const life = started(runs(1));
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.answer('recover', outcome('unchanged', runs(1)));
    life.answer('read', { is: 'broke', lane: 'work', detail: 'x' });
    expect(life.names()).toEqual(['reconcile']);
  });

  it('adds a note if the document was kept as applied, until it can be read again', () => {
    const life = started(runs(1));
    const note = { code: 'config/kept-as-applied', detail: 'maxPods' } as const;
    life.answer('recover', outcome('unchanged', runs(1)));
    life.answer('reconcile', { ...outcome('unchanged', runs(1)), note } as Bare);
    expect([life.phase, life.state.notes]).toEqual(['Applied ok/applied', [note]]);
    life.pass(600_000);
    life.answer('reconcile', outcome('unchanged', runs(1)));
    expect(life.state.notes).toEqual([]);
  });
});

describe('a document that was rolled back', () => {
  const rolledBack = (bad: Slots['bad']): Life => {
    const life = inService();
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.answer('read', document(2));
    life.answer('apply', outcome('reverted', runs(1, { bad }), 'apply/drain-failed'));
    expect(life.phase).toBe('RolledBack apply/drain-failed');
    return life;
  };
  /** Whether a fetch within this time leads to another read. */
  const isReadAfter = (life: Life, ms: number): boolean => {
    const untilMs = life.nowMs + ms;
    while (life.nowMs < untilMs) {
      life.pass(30_000);
      if (life.names().includes('reconcile')) life.answer('reconcile', outcome('unchanged', life.state.slots));
      if (life.names().includes('fetch')) life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    }
    return life.names().includes('read');
  };

  it('is retried after an hour if it is not bad', () => {
    const life = rolledBack([]);
    expect(isReadAfter(life, 3_500_000)).toBe(false);
    expect(isReadAfter(life, 400_000)).toBe(true);
  });

  it('is not retried if it is bad', () => {
    const bad = [{ hash: 'hash-2', generation: 2, code: 'verify/unit-failed', atMs: START } as const];
    expect(isReadAfter(rolledBack(bad), 24 * 3_600_000)).toBe(false);
  });
});

describe('an order', () => {
  it('that is impossible on this node is answered with the error, and changes nothing', () => {
    const life = inService();
    const error = { code: 'node/no-such-generation', message: 'this node has no generation 9', next: 'x' };
    life.dispatch({ is: 'ordered', order: { id: 3, what: 'roll-back', to: 9 } });
    expect(life.answer('roll-back', { is: 'declined', error })).toContainEqual({
      do: 'answer',
      id: 3,
      result: { error },
    });
    expect(life.phase).toBe('Applied ok/applied');
  });

  it('to apply the document in the metadata starts a new fetch, even if one is running', () => {
    const life = inService();
    toNextFetch(life);
    expect(life.names()).toEqual(['fetch']);
    expect(life.dispatch({ is: 'ordered', order: { id: 7, what: 'apply' } })).toEqual([
      { do: 'fetch', isOrdered: true },
    ]);
    life.pending.shift();
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    expect(life.pending).toEqual([{ do: 'read', raw: 'raw-2', allowsOlder: true }]);
    life.answer('read', document(2, { jitterMs: 600_000 }));
    expect(life.pending).toEqual([{ do: 'apply', raw: 'raw-2', isOrdered: true }]);
    const effects = life.answer('apply', outcome('applied', runs(2)));
    expect(effects).toContainEqual(expect.objectContaining({ do: 'answer', id: 7 }));
  });

  it('that cannot be executed is answered with the reason', () => {
    const life = inService();
    life.dispatch({ is: 'ordered', order: { id: 1, what: 'apply' } });
    expect(
      life.answer('fetch', { is: 'fetch-failed', why: { code: 'metadata/timed-out', detail: 'x' } }),
    ).toContainEqual({
      do: 'answer',
      id: 1,
      result: { refused: { code: 'metadata/timed-out', detail: 'x' } },
    });
    life.dispatch({ is: 'ordered', order: { id: 2, what: 'apply', raw: 'raw-x' } });
    expect(life.answer('read', { is: 'refused', why: { code: 'config/invalid', detail: 'y' } })[0]).toMatchObject({
      id: 2,
    });
    expect(life.phase).toBe('Applied ok/applied');
  });

  it('to roll back is shown while it runs, and not after any outcome', () => {
    for (const kind of ['reverted', 'applied', 'unchanged', 'failed', 'blocked', 'waiting'] as const) {
      const life = inService(2);
      life.dispatch({ is: 'ordered', order: { id: 1, what: 'roll-back', to: 1 } });
      expect(life.phase).toBe('RollingBack apply/running');
      life.answer('roll-back', outcome(kind, runs(1)));
      expect(life.phase).not.toContain('RollingBack');
      // The document that the operator rolled back is not applied again without an order.
      toNextFetch(life);
      expect(life.answer('fetch', { is: 'fetched', raw: 'raw-2' })).toEqual([]);
    }
  });
});

/** Any event or answer. */
const anOutcome: fc.Arbitrary<ApplyOutcome> = fc
  .record({
    kind: fc.constantFrom<ApplyOutcome['kind']>(
      'unchanged',
      'applied',
      'verified',
      'reverted',
      'blocked',
      'waiting',
      'refused',
      'failed',
    ),
    code: fc.constantFrom<ApplyOutcome['code']>(
      'ok/applied',
      'verify/running',
      'plan/needs-control-plane',
      'apply/busy',
      'plan/drift',
    ),
    active: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    isWatched: fc.boolean(),
  })
  .map(({ kind, code, active, isWatched }) => ({
    kind,
    code,
    reason: 'x',
    timings: [],
    slots: runs(active, isWatched && active !== undefined ? { watch } : {}),
  }));
const why = { code: 'metadata/gone', detail: 'x' } as const;
const aRaw = fc.constantFrom('raw-1', 'raw-2', 'raw-3');
const anOrder = fc.oneof(
  fc.record({ what: fc.constant('apply' as const), raw: fc.option(aRaw, { nil: undefined }) }),
  fc.record({ what: fc.constant('roll-back' as const), to: fc.constant(1) }),
  fc.constant({ what: 'keep' as const }),
);
type Happening =
  | { is: 'answer-fetch'; with: Bare }
  | { is: 'answer-work'; outcome: ApplyOutcome; document: Bare; end: 'finished' | 'declined' | 'broke' }
  | { is: 'pass'; ms: number }
  | { is: 'order'; order: Omit<DaemonOrder, 'id'> }
  | { is: 'event'; event: Bare };
const aHappening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    is: fc.constant('answer-fetch' as const),
    with: fc.oneof(
      fc
        .record({
          raw: fc.option(aRaw, { nil: undefined }),
          standby: fc.constantFrom<StandbyReport | undefined>(
            undefined,
            undefined,
            { is: 'in' },
            { is: 'out' },
            { is: 'parked' },
            { is: 'unknown' },
          ),
        })
        .map((answer): Bare => ({ is: 'fetched', ...answer })),
      fc.constant<Bare>({ is: 'fetch-failed', why }),
      fc.constant<Bare>({ is: 'broke', lane: 'fetch', detail: 'x' }),
    ),
  }),
  fc.record({
    is: fc.constant('answer-work' as const),
    outcome: anOutcome,
    document: fc.oneof(
      fc
        .integer({ min: 1, max: 4 })
        .chain((generation) => fc.constantFrom(0, 60_000).map((jitterMs) => document(generation, { jitterMs }))),
      fc.constant<Bare>({ is: 'refused', why: { code: 'config/invalid', detail: 'x' }, documentHash: 'document-9' }),
    ),
    end: fc.constantFrom('finished', 'finished', 'declined', 'broke'),
  }),
  fc.record({ is: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 900_000 }) }),
  fc.record({ is: fc.constant('order' as const), order: anOrder }),
  fc.record({
    is: fc.constant('event' as const),
    event: fc.oneof(
      fc.constant<Bare>({ is: 'signalled', by: 'SIGHUP' }),
      fc.constant<Bare>({ is: 'resumed' }),
      fc.constant<Bare>({ is: 'told-to-join' }),
      fc.integer({ min: 1, max: 5 }).map((generation): Bare => ({ is: 'announced', announcement: { generation } })),
      fc.constant<Bare>({ is: 'fetch-trouble', why, isDegraded: true }),
    ),
  }),
);

const WORK = new Set(['recover', 'read', 'apply', 'reconcile', 'check', 'roll-back', 'keep']);

describe('a stop', () => {
  it('waits for the running work and does not change the status', () => {
    const life = inService();
    toNextFetch(life);
    life.answer('fetch', { is: 'fetched', raw: 'raw-2' });
    life.answer('read', document(2));
    expect(life.dispatch({ is: 'stop' })).toEqual([]);
    expect(life.answer('apply', { is: 'broke', lane: 'work', detail: 'called off' })).toEqual([{ do: 'end' }]);
    expect(life.phase).toBe('Applying apply/running');
  });
});

describe('any run of the daemon', () => {
  it('runs one work at a time, applies the document it read last, answers every order once, reports ready once, and ends when stopped', () => {
    fc.assert(
      fc.property(
        fc.array(aHappening, { maxLength: 60 }),
        fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
        fc.boolean(),
        (happenings, first, isMemoryLost) => {
          const life = started(runs(first), false, first === undefined && isMemoryLost);
          const given: number[] = [];
          const work = () => life.pending.filter((effect) => WORK.has(effect.do));
          const fetches = () => life.pending.filter((effect) => effect.do === 'fetch');
          const answerWork = (happening: Extract<Happening, { is: 'answer-work' }>) => {
            const [current] = work();
            if (current === undefined) return;
            const isFinished = happening.end === 'finished';
            const ends: Record<typeof happening.end, Bare> = {
              finished: { is: 'finished', outcome: happening.outcome },
              declined: { is: 'declined', error: { code: 'node/x', message: 'x' } },
              broke: { is: 'broke', lane: 'work', detail: 'x' },
            };
            life.answer(current.do, current.do === 'read' && isFinished ? happening.document : ends[happening.end]);
          };
          for (const happening of happenings) {
            const before = phaseStatusOf(life.state);
            const published = life.all.filter((effect) => effect.do === 'publish').length;
            if (happening.is === 'pass') life.pass(happening.ms);
            const fetching = life.state.fetch;
            const wasWaiting = life.state.standby !== undefined && life.state.standby.left === undefined;
            if (happening.is === 'event') life.dispatch(happening.event);
            if (happening.is === 'answer-fetch' && fetches().length > 0) life.answer('fetch', happening.with);
            if (happening.is === 'answer-work') answerWork(happening);
            if (happening.is === 'order') {
              given.push(given.length);
              life.dispatch({ is: 'ordered', order: { ...happening.order, id: given.length - 1 } as DaemonOrder });
            }
            // A cancelled fetch gets no answer.
            if ((happening.is === 'order' || happening.is === 'event') && fetching && life.state.fetch !== fetching)
              life.pending.splice(
                life.pending.findIndex((one) => one.do === 'fetch'),
                1,
              );
            const isWaiting = life.state.standby !== undefined && life.state.standby.left === undefined;
            if (wasWaiting && isWaiting) expect(life.state.isReady).toBe(false);
            expect(work().length).toBeLessThanOrEqual(1);
            expect(fetches().length).toBeLessThanOrEqual(1);
            expect(life.state.work === undefined).toBe(work().length === 0);
            expect(life.state.fetch === undefined).toBe(fetches().length === 0);
            const due = nextDueMs(life.state);
            expect(due !== undefined || life.pending.length > 0).toBe(true);
            // Everything that is due is started: the loop never spins.
            if (due !== undefined && due <= life.nowMs) {
              life.dispatch({ is: 'time' });
              const still = nextDueMs(life.state);
              expect(still === undefined || still > life.nowMs).toBe(true);
            }
            const after = phaseStatusOf(life.state);
            if (before.phase !== after.phase || before.code !== after.code) {
              expect(life.all.filter((effect) => effect.do === 'publish').length).toBeGreaterThan(published);
            }
          }
          life.dispatch({ is: 'stop' });
          for (let i = 0; i < 5 && work().length > 0; i++) {
            const current = work()[0]!;
            life.answer(current.do, current.do === 'read' ? document(1) : outcome('unchanged', runs(1)));
          }
          expect(life.all.filter((effect) => effect.do === 'end').length).toBeGreaterThanOrEqual(1);
          const readOrApplied = life.all.flatMap((effect) => ('raw' in effect ? [effect] : []));
          for (const [i, effect] of readOrApplied.entries()) {
            if (effect.do === 'apply') expect(readOrApplied[i - 1]).toMatchObject({ do: 'read', raw: effect.raw });
          }
          const answers = life.all.flatMap((effect) => (effect.do === 'answer' ? [effect.id] : []));
          expect([...answers].sort((a, b) => a - b)).toEqual(given);
          const ready = life.all.filter((effect) => effect.do === 'report-ready').length;
          expect(ready).toBe(life.state.isReady ? 1 : 0);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
