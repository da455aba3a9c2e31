// sims/azure/referee/standby-checks.ts: does an exchange with Microsoft.StandbyPool have the generated types, and the headers that were recorded?
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json, stringAt } from '../service/json.ts';
import type { HttpExchange } from '../service/listen.ts';
import { findRoute } from '../service/routes.ts';
import { type BicepTypes, readBicepTypes, typeFindings } from './bicep-types.ts';

const TYPES = 'bicep-types/generated/standbypool_0/microsoft.standbypool/2026-04-01/types.json';

export interface StandbyFindings {
  request: string[];
  answer: string[];
}

export function isStandby(path: string): boolean {
  return /\/providers\/Microsoft\.StandbyPool\//i.test(path);
}

/** Undefined: these specifications have no types of standby pools. */
export function readStandbyTypes(specs: string): BicepTypes | undefined {
  const file = join(specs, TYPES);
  return existsSync(file) ? readBicepTypes(file) : undefined;
}

export function standbyFindings(types: BicepTypes, exchange: HttpExchange): StandbyFindings {
  const { method, path, body, answer } = exchange;
  const found: StandbyFindings = { request: [], answer: headerFindings(exchange) };
  const type = findRoute(method, path)?.type ?? '';
  const resource = `Microsoft.StandbyPool/${type}`;
  if ((method === 'PUT' || method === 'PATCH') && answer.status < 400)
    found.request.push(...typeFindings(types, resource, body, method));
  if (answer.status >= 400 || method === 'DELETE' || /operation(s|Statuses)$/.test(type)) return found;
  for (const document of documentsOf(exchange)) found.answer.push(...typeFindings(types, resource, document, 'answer'));
  return found;
}

/** A list has no type of its own. */
function documentsOf({ method, path, answer }: HttpExchange): Json[] {
  const { body } = answer;
  const isItem = /\}$/.test(findRoute(method, path)?.route.path ?? '');
  if (isItem) return [body ?? null];
  return isObject(body ?? null) && Array.isArray(body?.value) ? body.value : [{ value: 'is missing' }];
}

/** Recorded: a write ends at once and has an ETag; a deletion has one URL in two headers. */
function headerFindings({ method, answer }: HttpExchange): string[] {
  if (answer.status >= 400) return isEnvelope(answer.body) ? [] : [`${answer.status} without an error`];
  const { etag, location, 'azure-asyncoperation': operation } = answer.headers ?? {};
  if (method === 'PUT' || method === 'PATCH')
    return [
      ...(answer.status === 200 ? [] : [`${answer.status} to a ${method}, recorded was 200`]),
      ...(operation === undefined ? [] : ['an operation of a write that was recorded without one']),
      ...(etag === undefined ? ['no ETag'] : []),
    ];
  if (method !== 'DELETE' || answer.status === 204) return [];
  return [
    ...(answer.status === 202 ? [] : [`${answer.status} to a DELETE, recorded was 202`]),
    ...(operation === undefined || operation !== location ? ['not one URL in Azure-AsyncOperation and Location'] : []),
  ];
}

function isEnvelope(body: Json | undefined): boolean {
  return stringAt(body, 'error', 'code') !== undefined && stringAt(body, 'error', 'message') !== undefined;
}
