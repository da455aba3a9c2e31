// sims/azure/referee/own-checks.ts: checks that the specification lacks, taken from the recordings: headers and bodies of long-running operations.
import { isObject, type Json, stringAt } from '../service/json.ts';
import type { HttpExchange } from '../service/listen.ts';

/** Problems of the answer that oav has no rule for. */
export function ownFindings(exchange: HttpExchange): string[] {
  const { answer, method } = exchange;
  if (isOperationPoll(exchange.path)) return pollFindings(exchange);
  if (answer.status >= 400) return errorFindings(exchange);
  if (isAuthorization(exchange.path)) return authorizationFindings(exchange);
  if (method === 'GET' || answer.status === 204) return [];
  const headers = answer.headers ?? {};
  const findings: string[] = [];
  if (headers['azure-asyncoperation'] === undefined) findings.push('no Azure-AsyncOperation header');
  if (answer.status === 202 && headers.location === undefined) findings.push('202 without a Location header');
  if (answer.status !== 202 && headers.location !== undefined) findings.push(`${answer.status} with a Location header`);
  return findings;
}

export function isOperationPoll(path: string): boolean {
  return /\/locations\/[^/]+\/(operations|DiskOperations|capsOperations|operationStatuses)\/[^/]+$/i.test(path);
}

/** Rights and locks are not in the specifications that the referee has: their documented form is checked here. */
export function isAuthorization(path: string): boolean {
  return /\/providers\/Microsoft\.Authorization\/(permissions|locks)$/i.test(path);
}

function authorizationFindings({ path, answer }: HttpExchange): string[] {
  const { value } = answer.body ?? {};
  if (!Array.isArray(value)) return ['no list of values'];
  const isRight = (one: Json | undefined) =>
    isObject(one) &&
    ['actions', 'notActions'].every((key) => {
      const list = one[key];
      return Array.isArray(list) && list.every((action) => typeof action === 'string');
    });
  const isLock = (one: Json | undefined) =>
    isObject(one) &&
    /\/providers\/Microsoft\.Authorization\/locks\/[^/]+$/i.test(stringAt(one, 'id') ?? '') &&
    ['NotSpecified', 'CanNotDelete', 'ReadOnly'].includes(stringAt(one, 'properties', 'level') ?? '');
  const isSound = /permissions$/i.test(path) ? isRight : isLock;
  return value.every(isSound) ? [] : ['an item without its documented fields'];
}

function pollFindings({ path, query, answer }: HttpExchange): string[] {
  if (answer.status >= 400) return errorFindings({ answer });
  if (query.includes('monitor=true')) return [];
  const status = stringAt(answer.body, 'status');
  const running = /\/operationStatuses\//i.test(path) ? 'Deleting' : 'InProgress';
  const findings = [running, 'Succeeded', 'Failed'].includes(status ?? '') ? [] : [`operation status '${status}'`];
  if (stringAt(answer.body, 'name') === undefined) findings.push('an operation without a name');
  if (stringAt(answer.body, 'startTime') === undefined) findings.push('an operation without a start');
  if (status === 'Failed' && stringAt(answer.body, 'error', 'code') === undefined)
    findings.push('failed without a code');
  return findings;
}

/** Disks and snapshots declare no errors, so every error must have ARM's envelope. */
function errorFindings({ answer }: Pick<HttpExchange, 'answer'>): string[] {
  const error = answer.body?.error;
  const isEnvelope = isObject(error) && typeof error.code === 'string' && typeof error.message === 'string';
  return isEnvelope ? [] : [`${answer.status} without an error of code and message`];
}
