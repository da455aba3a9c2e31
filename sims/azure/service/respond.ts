// sims/azure/service/respond.ts: one request in, one answer out, on a copy of the world that replaces the old one only when it worked.

import type { World } from '../world.ts';
import { requireApiVersion } from './api-versions.ts';
import { ArmError } from './arm-error.ts';
import type { Answer, Call, Request } from './call.ts';
import { settle } from './effects.ts';
import { type Grant, linkedActions, requireGranted } from './roles.ts';
import { type Found, findRoute } from './routes.ts';
import { takeToken } from './throttle.ts';
import { requireToken } from './tokens.ts';

export interface Circumstances extends Pick<Call, 'nowMs' | 'baseUrl' | 'fate' | 'slowdown' | 'violate'> {
  /** A dialled refusal. */
  error?: ArmError;
  /** Without a role everything is allowed. */
  grant?: Grant;
  /** Told the action of every request that was let in. */
  used(action: string): void;
}

export function respond(world: World, request: Request, around: Circumstances): { world: World; answer: Answer } {
  const settled = structuredClone(world);
  settle(settled, around.nowMs);
  let headers: Record<string, string> = {};
  try {
    const found = requireRoute(request);
    requireToken(request.headers.authorization, around.nowMs);
    const apiVersion = requireApiVersion(found.route.provider, request.url.searchParams.get('api-version'));
    requireAllowed(request, found, around);
    // Counted whether or not the request succeeds, so it stays when the draft below is thrown away.
    headers = { 'x-ms-ratelimit-remaining-resource': takeToken(settled, around, found.policy, request.url.pathname) };
    if (around.error) throw around.error;
    const draft = request.method === 'GET' ? settled : structuredClone(settled); // reading leaves nothing half done
    const answer = answerOf(draft, request, { found, apiVersion, around });
    return { world: draft, answer: { ...answer, headers: { ...headers, ...answer.headers } } };
  } catch (error) {
    if (!(error instanceof ArmError)) throw error;
    return {
      world: settled,
      answer: { status: error.status, headers: { ...headers, ...error.headers }, body: error.body() },
    };
  }
}

function requireRoute({ method, url }: Request): Found {
  const found = findRoute(method, url.pathname);
  if (found) return found;
  throw new ArmError(404, 'InvalidResourceType', `The simulator has no ${method} ${url.pathname}.`);
}

function requireAllowed({ method, url, body }: Request, { action, type }: Found, around: Circumstances): void {
  const linked = linkedActions(method, type, body);
  if (around.grant) requireGranted(around.grant, action, linked, url.pathname);
  for (const one of [action, ...linked]) around.used(one);
}

function answerOf(
  world: World,
  { method, url, headers, body }: Request,
  { found, apiVersion, around }: { found: Found; apiVersion: string; around: Circumstances },
): Answer {
  const { params, route } = found;
  if (params.subscription?.toLowerCase() !== world.subscriptionId.toLowerCase()) {
    throw new ArmError(404, 'SubscriptionNotFound', `The subscription '${params.subscription}' could not be found.`);
  }
  requireGroup(world, params.group);
  const ifMatch = headers['if-match'];
  const { nowMs, baseUrl, fate, slowdown, violate } = around;
  const call: Call = {
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
  };
  return route.answer(world, call);
}

function requireGroup(world: World, group: string | undefined): void {
  if (group === undefined) return;
  if (world.resourceGroups.some(({ name }) => name.toLowerCase() === group.toLowerCase())) return;
  throw new ArmError(404, 'ResourceGroupNotFound', `Resource group '${group}' could not be found.`);
}
