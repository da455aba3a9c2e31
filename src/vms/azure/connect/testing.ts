// vms/azure/connect/testing.ts: a scripted network under the real SDK; records requests and waits.

import { createHttpHeaders, type HttpClient, type PipelineRequest, RestError } from '@azure/core-rest-pipeline';
import { VirtualClock } from '../../../../sims/azure/service/virtual-clock.ts';
import type { CallOptions } from '../../../base/call-options.ts';
import { type AzureCall, openConnection } from './connection.ts';
import { runOperation } from './operations.ts';

export type ScriptedReply =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | 'reset'
  | 'hang'
  | { broke: string };
export interface SentRequest {
  method: string;
  url: URL;
  atS: number;
  authorization: string | undefined;
  ifMatch: string | undefined;
  body: unknown;
  /** Whether an interrupt would end it while it is on its way. */
  isAbortable: boolean;
}

export const startMs = Date.parse('2026-11-15T08:00:00Z');
export const status =
  'https://arm.example/subscriptions/s/providers/Microsoft.Compute/locations/we/operations/1?api-version=2024-07-01&t=1';
export const location = status.replace('t=1', 'monitor=true');

export const nowhere = { subscriptionId: 's', resourceGroup: 'g', endpoint: 'https://arm.example', authorityHost: '' };

export async function wire(...script: ScriptedReply[]) {
  const clock = new VirtualClock(startMs);
  const sent: SentRequest[] = [];
  const messages: string[] = [];
  const defaultMessages: string[] = [];
  const controller = new AbortController();
  let tokens = 0;
  const httpClient: HttpClient = { sendRequest: (request) => clock.during(async () => reply(request)) };
  function reply(request: PipelineRequest) {
    sent.push({
      method: request.method,
      url: new URL(request.url),
      atS: (clock.nowMs() - startMs) / 1000,
      authorization: request.headers.get('authorization'),
      ifMatch: request.headers.get('if-match'),
      body: typeof request.body === 'string' ? JSON.parse(request.body) : undefined,
      isAbortable: request.abortSignal !== undefined,
    });
    const next = script.shift();
    if (!next) throw new Error(`nothing scripted for ${request.method} ${request.url}`);
    if (next === 'reset') throw new RestError('read ECONNRESET', { code: 'ECONNRESET', request });
    if (typeof next === 'object' && 'broke' in next)
      throw new RestError(`connect ${next.broke} 127.0.0.1:1`, { code: next.broke, request });
    if (next === 'hang') throw Object.assign(new Error('timed out'), { name: 'AbortError' });
    const bodyAsText = next.body === undefined ? '' : JSON.stringify(next.body);
    return { request, status: next.status, headers: createHttpHeaders(next.headers), bodyAsText };
  }
  const connection = openConnection(
    {
      subscriptionId: 's',
      resourceGroup: 'g',
      endpoint: 'https://arm.example',
      authorityHost: '',
      audience: 'https://arm.example',
    },
    {
      clock,
      httpClient,
      onWaiting: (what) => defaultMessages.push(what),
      credential: {
        getToken: async () => ({ token: `canary-token-${++tokens}`, expiresOnTimestamp: clock.nowMs() + 3_600_000 }),
      },
    },
  );
  const options = { onWaiting: (what: string) => messages.push(what), signal: controller.signal };
  return {
    clock,
    sent,
    messages,
    controller,
    call: await connection.open(options),
    open: (more: CallOptions = {}) => connection.open({ ...options, ...more }),
    openWithoutListener: () => connection.open({ signal: controller.signal }),
    defaultMessages,
    tokens: () => tokens,
  };
}

export const read = (call: AzureCall) => call.send({ method: 'GET', url: '/subscriptions/s/x?api-version=1' }, 'x');
export const stop = (call: AzureCall) =>
  runOperation(call, { verb: 'stopping', thing: 'instance 0' }, () =>
    call.compute('s').virtualMachineScaleSetVMs.powerOff('g', 'pool', '0'),
  );
export const busy = { status: 200, headers: { 'retry-after': '10' }, body: { status: 'InProgress' } };
export const accepted = { status: 202, headers: { 'azure-asyncoperation': status, location, 'retry-after': '15' } };
