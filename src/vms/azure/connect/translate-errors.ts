// vms/azure/connect/translate-errors.ts: translate an Azure error into one of our error classes. Codes decide; text only where one code has several causes.
import { TransientError, UserError } from '../../../base/errors.ts';
import {
  Conflict,
  Forbidden,
  NoCapacity,
  NotFound,
  NoZoneRedundancy,
  QuotaExceeded,
  Refused,
  Throttled,
  Unauthenticated,
} from '../../../base/failures.ts';
import { parseRetryAfter } from '../../../base/retry-after.ts';
import { Unreached, unreachable } from './unreached.ts';

/** Does not contain the request, which may hold custom data. */
export interface AzureResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

/** A parsed Azure error body. Used as `cause`, because the SDK's errors contain the request. */
export class AzureError extends Error {
  readonly status: number | undefined;
  readonly code: string;
  /** Codes of `details` and inner errors, outermost first. */
  readonly innerCodes: readonly string[];
  readonly requestId: string | undefined;

  constructor(fields: { status?: number; code: string; message: string; innerCodes: string[]; requestId?: string }) {
    super(fields.message);
    this.name = 'AzureError';
    this.status = fields.status;
    this.code = fields.code;
    this.innerCodes = fields.innerCodes;
    this.requestId = fields.requestId;
  }
}

/** `what` may be an activity ("stopping instance 3"); `thing` ("instance 3") is for "… does not exist". */
export function failureOfResponse(answer: AzureResponse, what: string, nowMs: number, thing = what): Error {
  const requestId = answer.headers['x-ms-request-id'];
  const error = readErrorBody(answer.body, { status: answer.status, ...(requestId && { requestId }) });
  if (answer.status === 429 || isThrottling(error))
    return throttled(error, what, parseRetryAfter(answer.headers['retry-after'], nowMs));
  if (answer.status === 401) return unauthenticated(error, what);
  if (answer.status === 404 && error.code !== 'SubscriptionNotFound') return new NotFound(thing, error);
  return byCode(error, what) ?? byStatus(error, what, answer.status);
}

/** For an operation that was accepted and then failed. It has no HTTP status, and may have taken effect anyway. */
export function operationFailure(body: unknown, what: string): Error {
  const error = readErrorBody(body, {});
  if (isThrottling(error)) return throttled(error, what);
  return (
    byCode(error, what) ??
    (refusals.has(error.code)
      ? new Refused(sentence(what, error), 'vms/refused', error)
      : new TransientError(sentence(what, error), { code: 'vms/operation-failed', cause: error }))
  );
}

/** For a request without a response: a reset, a name that does not resolve, a failed login. */
export function failureWithoutResponse(thrown: unknown, what: string): unknown {
  if (!(thrown instanceof Error)) return thrown;
  if (thrown instanceof UserError || thrown instanceof TransientError) return thrown;
  if (thrown instanceof Unreached) return unreachable(thrown.facts, what);
  if (isLoginUnreachable(thrown))
    return new TransientError(`${what}: Azure's login service does not respond: ${firstLine(thrown.message)}`, {
      code: 'vms/unreachable',
      cause: new Error(firstLine(thrown.message)),
    });
  if (loginErrors.has(thrown.name)) return azureLoginFailure(thrown, `${what}: could not log in to Azure`);
  if (thrown.name === 'RestError')
    return new TransientError(`${what}: no response from Azure (${networkCode(thrown)})`, {
      code: 'vms/unreachable',
      cause: new Error(firstLine(thrown.message)),
    });
  return thrown;
}

export function azureLoginFailure(thrown: Error, what: string): UserError {
  return new UserError(`${what}${loginOf(thrown)}${loginReason(thrown)}`, {
    code: 'azure/login-failed',
    exitCode: 1,
    next: loginAdvice(thrown),
    cause: new Error(thrown.name),
  });
}

/** The identity library throws the same error for a network failure and a wrong password; its message starts with a code. */
export function isLoginUnreachable(thrown: Error): boolean {
  if (!loginErrors.has(thrown.name)) return false;
  const status = field(thrown, 'statusCode');
  return (
    (typeof status === 'number' && (status >= 500 || status === 429)) ||
    /^(?:endpoints_resolution|network|openid_config)_error\b/.test(thrown.message)
  );
}

const loginErrors = new Set([
  'AuthenticationError',
  'AggregateAuthenticationError',
  'AuthenticationRequiredError',
  'CredentialUnavailableError',
]);

const noCapacity = new Set([
  'AllocationFailed',
  'ZonalAllocationFailed',
  'OverconstrainedAllocationRequest',
  'OverconstrainedZonalAllocationRequest',
  'SkuNotAvailable',
]);

const conflicts = new Set([
  'Conflict',
  'ConcurrentOperation',
  'OperationPreempted',
  'PreconditionFailed',
  'ConditionNotMet',
  'AnotherOperationInProgress',
  'RetryableError',
]);

const refusals = new Set([
  'BadRequest',
  'CannotDeleteResource',
  'ImageNotFound',
  'InvalidParameter',
  'InvalidResourceReference',
  'LinkedInvalidPropertyId',
  'PropertyChangeNotAllowed',
  'RequestDisallowedByPolicy',
  'ScopeLocked',
]);

const quotas = new Set(['QuotaExceeded', 'ResourceQuotaExceeded', 'ReplicaCountExceeded']);

function byCode(error: AzureError, what: string): Error | undefined {
  const codes = [error.code, ...error.innerCodes];
  const is = (set: ReadonlySet<string>) => codes.some((code) => set.has(code));
  if (is(noCapacity)) return new NoCapacity(`${sentence(what, error)}`, error);
  if (is(quotas)) return new QuotaExceeded(sentence(what, error), error);
  if (error.code === 'OperationNotAllowed') return operationNotAllowed(error, what);
  if (isNoZoneRedundancy(error)) return new NoZoneRedundancy(sentence(what, error), error);
  if (error.code === 'AuthorizationFailed' || error.code === 'LinkedAuthorizationFailed') return forbidden(error, what);
  if (is(conflicts)) return new Conflict(sentence(what, error), error);
  if (error.code === 'SubscriptionNotFound')
    return new Refused(
      sentence(what, error),
      'vms/refused',
      error,
      'name another subscription with --subscription or AZURE_SUBSCRIPTION_ID; `az account list` shows those of your login',
    );
  return undefined;
}

function byStatus(error: AzureError, what: string, status: number): Error {
  if (status === 403) return refusals.has(error.code) ? refused(error, what) : forbidden(error, what);
  if (status === 409)
    return refusals.has(error.code) ? refused(error, what) : new Conflict(sentence(what, error), error);
  if (status === 412) return new Conflict(`${what} changed since it was read`, error);
  if (status === 408 || status >= 500)
    return new TransientError(sentence(what, error), { code: 'vms/unavailable', cause: error });
  return refused(error, what);
}

/** Only as the error's own reason: an operation on many things may report a throttled part among other failures. */
function isThrottling({ code, innerCodes }: AzureError): boolean {
  return code === 'TooManyRequests' || (code === 'OperationNotAllowed' && innerCodes.includes('TooManyRequests'));
}

function throttled(error: AzureError, what: string, retryAfterMs = 30_000): Throttled {
  return new Throttled(`${what}: Azure throttles requests`, retryAfterMs, error);
}

/** One code with four causes; `details` names the cause only sometimes, so the text decides. */
function operationNotAllowed(error: AzureError, what: string): Error {
  const text = error.message.toLowerCase();
  if (text.includes('quota') || text.includes('exceeding approved'))
    return new QuotaExceeded(sentence(what, error), error);
  if (text.includes('may not be changed') || text.includes('is not allowed to be changed') || text.includes('os state'))
    return new Refused(sentence(what, error), 'vms/image-type-fixed', error);
  // Azure uses status 409 here, but a retry would fail again.
  if (text.includes('smaller than the size')) return new Refused(sentence(what, error), 'vms/disk-too-small', error);
  if (error.status === 409) return new Conflict(sentence(what, error), error);
  return new Refused(sentence(what, error), 'vms/refused', error);
}

/** Azure reports this as a generic invalid parameter; only the text is specific. */
function isNoZoneRedundancy(error: AzureError): boolean {
  return /ZRS|zone.?redundan/i.test(error.message) && /not (?:supported|available)|unsupported/i.test(error.message);
}

/** The request was already repeated with a fresh token. */
function unauthenticated(error: AzureError, what: string): Unauthenticated {
  const other = 'or choose another login with --login';
  const next =
    error.code === 'InvalidAuthenticationTokenTenant'
      ? `name the tenant of the subscription with --tenant or AZURE_TENANT_ID, ${other}`
      : error.code === 'ExpiredAuthenticationToken'
        ? `check this machine's clock, then log in again, for example with \`az login\`, ${other}`
        : `log in again, for example with \`az login\`, ${other}`;
  return new Unauthenticated(`${what}: Azure does not accept the token (${error.code})`, error, next);
}

/** The last action in the text is the missing one: a linked failure first names the allowed action. */
function forbidden(error: AzureError, what: string): Forbidden {
  const action = [...error.message.matchAll(/action\(?s?\)? '([^']+)'/gi)].at(-1)?.[1];
  const scope = [...error.message.matchAll(/scope\(?s?\)? '([^']+)'/gi)].at(-1)?.[1];
  const next = 'assign a role with this permission to the login, or choose another login with --login';
  if (!action) return new Forbidden(sentence(what, error), error, next);
  return new Forbidden(`${what}: the credentials lack ${action}${scope ? ` on ${scope}` : ''}`, error, next);
}

function refused(error: AzureError, what: string): Refused {
  return new Refused(sentence(what, error), 'vms/refused', error);
}

function sentence(what: string, error: AzureError): string {
  return `${what}: ${error.code}: ${firstLine(error.message)}`;
}

/** Usually `{error: {…}}`; throttling responses are documented without the wrapper. */
function readErrorBody(body: unknown, from: { status?: number; requestId?: string }): AzureError {
  const outer = field(body, 'error') ?? body;
  const code = textField(outer, 'code') ?? (from.status === undefined ? 'Unknown' : `HTTP ${from.status}`);
  return new AzureError({
    ...from,
    code,
    message: textField(outer, 'message') ?? 'no reason given',
    innerCodes: innerCodesOf(outer, 0),
  });
}

function innerCodesOf(error: unknown, depth: number): string[] {
  const details = field(error, 'details');
  const inner = [...(Array.isArray(details) ? details : []), field(error, 'innererror')];
  if (depth > 4) return [];
  return inner.flatMap((item) => {
    const code = textField(item, 'code');
    return [...(code ? [code] : []), ...innerCodesOf(item, depth + 1)];
  });
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function textField(value: unknown, key: string): string | undefined {
  const found = field(value, key);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** `createCredential` adds it to its errors, so that the message names the failing login. */
function loginOf(thrown: Error): string {
  const from = textField(thrown, 'loginFrom');
  return from === undefined ? '' : ` with ${from}`;
}

/** An aggregate error has no reason, so list the reasons of its parts. */
function loginReason(thrown: Error): string {
  const tried = field(thrown, 'errors');
  const reasons = Array.isArray(tried) ? tried.filter((one): one is Error => one instanceof Error) : [];
  if (reasons.length === 0) return `: ${firstLine(thrown.message)}`;
  return `; none of these works:${reasons.map((one) => `\n       - ${firstSentence(one.message)}`).join('')}`;
}

function loginAdvice(thrown: Error): string {
  const another = 'or choose another login with --login';
  const kind = textField(thrown, 'loginKind');
  const from = textField(thrown, 'loginFrom');
  if (kind === 'service-principal' && from === 'AZURE_CLIENT_SECRET')
    return `check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, ${another}`;
  if (kind === 'service-principal') return `check tenantId, aadClientId and aadClientSecret in ${from}, ${another}`;
  if (kind === 'workload-identity')
    return `check AZURE_TENANT_ID, AZURE_CLIENT_ID and the file that AZURE_FEDERATED_TOKEN_FILE names, ${another}`;
  if (kind === 'managed-identity') return `run this on a VM that has that identity, ${another}`;
  return `\`az login\`; or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET; ${another}`;
}

/** The library appends links to its documentation. */
function firstSentence(text: string): string {
  return firstLine(text)
    .replace(/^Error: /, '')
    .split(/\.(?:\s|$)/, 1)[0]!;
}

function networkCode(error: Error): string {
  return textField(error, 'code') ?? 'connection failed';
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.trim();
}
