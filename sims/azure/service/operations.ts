// sims/azure/service/operations.ts: a long-running operation: begun by a request, polled at its URL, ended by the clock.

import {
  type Fate,
  hex,
  type Operation,
  type OperationEffect,
  type OperationKind,
  type SimWorld,
  STANDBY_PROVIDER,
  timestamp,
  uuid,
} from '../world.ts';
import { ArmError, entityNotFound } from './arm-error.ts';
import type { ArmAnswer, ArmCall } from './call.ts';
import { retryAfterSeconds } from './timing.ts';

/** Whether the operation takes effect, independent of the status it reports. */
export function takesEffect(fate: Fate): boolean {
  return fate !== 'failed' && fate !== 'succeeded-but-not-applied';
}

export const ALLOCATION_FAILED = {
  code: 'AllocationFailed',
  message:
    'Allocation failed. We do not have sufficient capacity for the requested VM size in this region. Read more about improving likelihood of allocation success at https://aka.ms/allocation-guidance',
};

export interface Begin {
  kind: OperationKind;
  location: string;
  on: string;
  tookMs: number;
  effect: OperationEffect;
  /** How it ends without a configured fault. */
  error?: { code: string; message: string };
}

export function begin(world: SimWorld, call: ArmCall, order: Begin): Operation {
  const operation: Operation = {
    id: order.kind === 'operationStatuses' ? `${uuid(world)}*${hex(world, 64).toUpperCase()}` : uuid(world),
    kind: order.kind,
    location: order.location,
    apiVersion: call.apiVersion,
    startedMs: call.nowMs,
    endsMs: call.nowMs + order.tookMs * call.slowdown,
    status: 'InProgress',
    fate: order.error ? 'failed' : call.fate,
    effect: order.effect,
    on: order.on,
    notBeforeMs: call.nowMs + hintMs(world, order.kind),
  };
  if (order.error) operation.error = order.error;
  world.operations[operation.id] = operation;
  return operation;
}

/** 202 without a body: power actions and deletions. */
export function acceptedWithoutBody(world: SimWorld, call: ArmCall, operation: Operation): ArmAnswer {
  return {
    status: 202,
    headers: { ...asyncHeader(world, call, operation), ...locationHeader(world, call, operation) },
  };
}

export function asyncHeader(world: SimWorld, call: ArmCall, operation: Operation): Record<string, string> {
  const notification = operation.kind === 'operations' ? { 'azure-asyncnotification': 'Enabled' } : {};
  return {
    'azure-asyncoperation': operationUrl(world, call, operation, ''),
    'retry-after': retryAfterSeconds(hintMs(world, operation.kind)),
    ...notification,
  };
}

export function locationHeader(world: SimWorld, call: ArmCall, operation: Operation): Record<string, string> {
  return { location: operationUrl(world, call, operation, 'monitor=true&') };
}

/** The answer to a poll of the Azure-AsyncOperation URL, or with monitor=true of the Location URL. */
export function readOperation(world: SimWorld, call: ArmCall): ArmAnswer {
  const operation = world.operations[call.params.operation ?? ''];
  if (!operation) throw entityNotFound();
  const hint = hintMs(world, operation.kind);
  if (operation.status === 'InProgress') {
    if (call.nowMs < operation.notBeforeMs)
      call.violate(`polled ${operation.notBeforeMs - call.nowMs} ms before the hint`);
    operation.notBeforeMs = call.nowMs + hint;
  }
  return call.query.get('monitor') === 'true'
    ? monitorAnswer(world, call, operation, hint)
    : statusAnswer(operation, hint);
}

function statusAnswer(operation: Operation, hint: number): ArmAnswer {
  const { id, status, startedMs, endsMs, error, output } = operation;
  const isRunning = status === 'InProgress';
  return {
    status: 200,
    headers: isRunning ? { 'retry-after': retryAfterSeconds(hint) } : {},
    body: {
      startTime: timestamp(startedMs),
      ...(!isRunning && { endTime: timestamp(endsMs) }),
      status,
      ...(error && !isRunning && { error }),
      ...(output && status === 'Succeeded' && { properties: { output } }),
      name: id,
    },
  };
}

function monitorAnswer(world: SimWorld, call: ArmCall, operation: Operation, hint: number): ArmAnswer {
  if (operation.status === 'InProgress') {
    return {
      status: 202,
      headers: { ...locationHeader(world, call, operation), 'retry-after': retryAfterSeconds(hint) },
    };
  }
  if (operation.error) throw new ArmError(409, operation.error.code, operation.error.message);
  return operation.output ? { status: 200, body: operation.output } : { status: 200 };
}

function hintMs({ timing }: SimWorld, kind: OperationKind): number {
  if (kind === 'operationStatuses') return timing.standbyHintMs;
  if (kind === 'operations') return timing.computeHintMs;
  return kind === 'DiskOperations' ? timing.diskHintMs : timing.galleryHintMs;
}

/** Real ones contain about a kilobyte of signature, so that a client which truncates or re-encodes it fails here. */
function operationUrl({ subscriptionId }: SimWorld, call: ArmCall, operation: Operation, monitor: string): string {
  const { id, kind, location, apiVersion } = operation;
  const [guid = ''] = id.split('*');
  const signature = `t=${operation.startedMs}&c=${guid.replaceAll('-', '').repeat(32)}`;
  if (kind === 'operationStatuses') {
    // Recorded: the region in capitals, and one URL in both headers.
    const poll = `subscriptions/${subscriptionId}/${STANDBY_PROVIDER}/locations/${location.toUpperCase()}/${kind}/${id}`;
    return `${call.baseUrl}/${poll}?api-version=${apiVersion}&${signature}`;
  }
  const path = `/subscriptions/${subscriptionId}/providers/Microsoft.Compute/locations/${location}/${kind}/${id}`;
  return `${call.baseUrl}${path}?p=${id}&${monitor}api-version=${apiVersion}&${signature}`;
}

/** Whether another operation on it is running. */
export function isBusy(world: SimWorld, on: string): boolean {
  return Object.values(world.operations).some(
    (operation) => operation.status === 'InProgress' && operation.on.toLowerCase() === on.toLowerCase(),
  );
}
