import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../base/errors.ts';
import { Conflict, NoCapacity, NotFound } from '../../../base/failures.ts';
import { accepted, busy, location, status, stop, wire } from './testing.ts';

describe('an operation', () => {
  it('is polled no earlier than each Retry-After, and not after its end', async () => {
    const { call, sent, messages } = await wire(accepted, busy, busy, { status: 200, body: { status: 'Succeeded' } });
    await stop(call);
    expect(sent.map(({ method, atS }) => [method, atS])).toEqual([
      ['POST', 0],
      ['GET', 15],
      ['GET', 25],
      ['GET', 35],
    ]);
    expect(sent[1]!.url.href).toBe(status);
    expect(messages).toEqual(['stopping instance 0', 'stopping instance 0 (15 s)', 'stopping instance 0 (25 s)']);
  });

  it('is polled every ten seconds without a Retry-After, and never in a hot loop', async () => {
    const silent = { status: 202, headers: { 'azure-asyncoperation': status } };
    const atOnce = { status: 200, headers: { 'retry-after': '0' }, body: { status: 'InProgress' } };
    const { call, sent } = await wire(silent, atOnce, { status: 200, body: { status: 'Succeeded' } });
    await stop(call);
    expect(sent.map(({ atS }) => atS)).toEqual([0, 10, 11]);
  });

  it('survives throttling and server errors between polls', async () => {
    const { call } = await wire(accepted, { status: 429, headers: { 'retry-after': '30' } }, 'reset', busy, {
      status: 200,
      body: { status: 'Succeeded' },
    });
    await expect(stop(call)).resolves.toBeUndefined();
  });

  it('that failed reports its code, which the SDK drops', async () => {
    const error = { code: 'AllocationFailed', message: 'Allocation failed. We do not have sufficient capacity.' };
    const { call } = await wire(accepted, { status: 200, body: { status: 'Failed', error } });
    await expect(stop(call)).rejects.toBeInstanceOf(NoCapacity);
  });

  it('that was preempted is a Conflict', async () => {
    const error = { code: 'OperationPreempted', message: 'A newer one came.' };
    const { call } = await wire(accepted, { status: 200, body: { status: 'Failed', error } });
    await expect(stop(call)).rejects.toBeInstanceOf(Conflict);
  });

  it('without a record is not the same as an instance that does not exist', async () => {
    const { call } = await wire(accepted, { status: 404, body: { error: { code: 'NotFound' } } });
    const failure = await stop(call).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransientError);
    expect(failure).not.toBeInstanceOf(NotFound);
  });

  it('is polled at its Location header alone', async () => {
    const only = { status: 202, headers: { location, 'retry-after': '5' } };
    const { call, sent } = await wire(only, { status: 202, headers: { 'retry-after': '5' } }, { status: 204 });
    await stop(call);
    expect(sent.map(({ atS }) => atS)).toEqual([0, 5, 10]);
  });

  it('that completed immediately is not polled', async () => {
    const { call, sent } = await wire({ status: 200 });
    await stop(call);
    expect(sent).toHaveLength(1);
  });

  it('is not cancelled when waiting is aborted', async () => {
    const { call, controller } = await wire(accepted, busy, busy, busy, busy);
    const reason = new Error('enough');
    const pending = stop(call);
    setImmediate(() => controller.abort(reason));
    await expect(pending).rejects.toBe(reason);
  });
});
