// sims/azure/standby/operation-status.ts: the answer to a poll of a standby pool's operation, in the form that was recorded.
import { entityNotFound } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { asyncHeader, locationHeader } from '../service/operations.ts';
import type { SimWorld } from '../world.ts';

export function readStandbyOperation(world: SimWorld, call: ArmCall): ArmAnswer {
  const operation = world.operations[call.params.operation ?? ''];
  if (!operation) throw entityNotFound();
  const { id, on, startedMs, endsMs, status, error } = operation;
  const common = {
    id: call.path,
    name: id,
    resourceId: on,
    status: status === 'InProgress' ? 'Deleting' : status,
    startTime: new Date(startedMs).toISOString(),
  };
  const etag = { etag: `"${id.split('*')[0]}"` };
  if (status === 'InProgress') {
    if (call.nowMs < operation.notBeforeMs)
      call.violate(`polled ${operation.notBeforeMs - call.nowMs} ms before the hint`);
    operation.notBeforeMs = call.nowMs + world.timing.standbyHintMs;
    const headers = { ...etag, ...asyncHeader(world, call, operation), ...locationHeader(world, call, operation) };
    return { status: 202, headers, body: common };
  }
  return {
    status: 200,
    headers: etag,
    body: { ...common, endTime: new Date(endsMs).toISOString(), ...(error && { error }), properties: null },
  };
}
