// sims/azure/service/respond.ts: answers one request on a copy of the world, which replaces the old one only on success.

import { keepStandbyPools } from '../standby/keep-pools.ts';
import type { SimWorld } from '../world.ts';
import { answerAccount } from './account.ts';
import { requireApiVersion } from './api-versions.ts';
import { ArmError } from './arm-error.ts';
import { requireUnlocked } from './authorization.ts';
import type { ArmAnswer, ArmCall, ArmRequest } from './call.ts';
import { isDue, settle } from './effects.ts';
import { requireSoundWrite } from './front-door.ts';
import { requestIds } from './request-ids.ts';
import { type Grant, linkedActions, requireGranted } from './roles.ts';
import { findRoute, type MatchedRoute } from './routes.ts';
import { takeSubscriptionToken, takeToken } from './throttle.ts';
import { requireToken } from './tokens.ts';

export interface RequestContext extends Pick<ArmCall, 'nowMs' | 'baseUrl' | 'fate' | 'slowdown' | 'violate'> {
  /** The error of a configured fault. */
  error?: ArmError;
  /** Without a role everything is allowed. */
  grant?: Grant;
  /** Called with the action of every allowed request. */
  used(action: string): void;
}

export function respond(
  world: SimWorld,
  request: ArmRequest,
  around: RequestContext,
): { world: SimWorld; answer: ArmAnswer } {
  const settled = settledCopy(world, request.method, around.nowMs);
  settled.requests += 1;
  let headers = requestIds(settled, request, around.nowMs);
  try {
    const account = answerAccount(settled, request);
    if (account) {
      requireToken(request.headers.authorization, around.nowMs);
      headers = { ...headers, ...takeSubscriptionToken(settled, around, request.method) };
      return { world: settled, answer: { ...account, headers } };
    }
    const found = requireRoute(request);
    requireToken(request.headers.authorization, around.nowMs);
    const apiVersion = requireApiVersion(found.route.provider, request.url.searchParams.get('api-version'));
    requireAllowed(request, found, around);
    // Counted whether or not the request succeeds, so it stays when the draft below is discarded.
    headers = { ...headers, ...takeSubscriptionToken(settled, around, request.method) };
    const left = takeToken(settled, around, found.policy, request.url.pathname);
    // Recorded: standby pools have only the limits of the subscription.
    if (found.route.provider !== 'standby') headers['x-ms-ratelimit-remaining-resource'] = left;
    if (around.error) throw around.error;
    const draft = request.method === 'GET' ? settled : structuredClone(settled); // a read changes nothing
    const answer = answerOf(draft, request, { found, apiVersion, around });
    if (draft !== settled) keepStandbyPools(draft, around.nowMs);
    return { world: draft, answer: { ...answer, headers: { ...headers, ...answer.headers } } };
  } catch (error) {
    if (!(error instanceof ArmError)) throw error;
    return {
      world: settled,
      answer: { status: error.status, headers: { ...headers, ...error.headers }, body: error.body() },
    };
  }
}

/** A read while nothing ends changes only how often the client asked; a copy of a thousand machines takes a third of a second. */
function settledCopy(world: SimWorld, method: string, nowMs: number): SimWorld {
  if (method === 'GET' && !isDue(world, nowMs)) {
    return { ...world, operations: structuredClone(world.operations), buckets: structuredClone(world.buckets) };
  }
  const copy = structuredClone(world);
  settle(copy, nowMs);
  return copy;
}

function requireRoute({ method, url }: ArmRequest): MatchedRoute {
  const found = findRoute(method, url.pathname);
  if (found) return found;
  throw new ArmError(404, 'InvalidResourceType', `The simulator has no ${method} ${url.pathname}.`);
}

function requireAllowed(
  { method, url, body }: ArmRequest,
  { action, type }: MatchedRoute,
  around: RequestContext,
): void {
  const linked = linkedActions(method, type, body);
  if (around.grant) requireGranted(around.grant, action, linked, url.pathname);
  for (const one of [action, ...linked]) around.used(one);
}

function answerOf(
  world: SimWorld,
  { method, url, headers, body }: ArmRequest,
  { found, apiVersion, around }: { found: MatchedRoute; apiVersion: string; around: RequestContext },
): ArmAnswer {
  const { params, route } = found;
  if (params.subscription !== undefined && params.subscription.toLowerCase() !== world.subscriptionId.toLowerCase()) {
    throw new ArmError(404, 'SubscriptionNotFound', `The subscription '${params.subscription}' could not be found.`);
  }
  requireGroup(world, params.group);
  requireUnlocked(world, method, url.pathname);
  requireSoundWrite(world, { method, url, body }, found.type);
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  const { nowMs, baseUrl, fate, slowdown, violate } = around;
  const call: ArmCall = {
    method,
    path: url.pathname,
    params,
    query: url.searchParams,
    apiVersion,
    body,
    nowMs,
    baseUrl,
    fate,
    slowdown,
    violate,
    ...(ifMatch !== undefined && { ifMatch }),
    ...(around.grant && { grant: around.grant }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch }),
  };
  return route.answer(world, call);
}

function requireGroup(world: SimWorld, group: string | undefined): void {
  if (group === undefined) return;
  if (world.resourceGroups.some(({ name }) => name.toLowerCase() === group.toLowerCase())) return;
  throw new ArmError(404, 'ResourceGroupNotFound', `Resource group '${group}' could not be found.`);
}
