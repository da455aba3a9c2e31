import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../../base/errors.ts';
import {
  Conflict,
  Forbidden,
  NoCapacity,
  NotFound,
  QuotaExceeded,
  Refused,
  Throttled,
  Unauthenticated,
} from '../../../base/failures.ts';
import { failureOfResponse, failureWithoutResponse, operationFailure } from './translate-errors.ts';

const answer = (status: number, error: object | undefined, headers = {}) => ({
  status,
  headers,
  body: error && { error },
});
const failed = (status: number, code: string, message = 'why') =>
  failureOfResponse(answer(status, { code, message }), 'it', 0);

describe('an error response', () => {
  it.each<[number, string, string, new (...args: never[]) => Error]>([
    [404, 'ResourceNotFound', '', NotFound],
    [404, 'NotFound', '', NotFound],
    [404, 'SubscriptionNotFound', 'The subscription could not be found', Refused],
    [412, 'PreconditionFailed', '', Conflict],
    [412, '', '', Conflict],
    [409, 'Conflict', '', Conflict],
    [409, 'OperationPreempted', '', Conflict],
    [409, 'SomethingNew', '', Conflict],
    [409, 'PropertyChangeNotAllowed', '', Refused],
    [409, 'OperationNotAllowed', 'Image type may not be changed for a scale set', Refused],
    [409, 'OperationNotAllowed', 'Another operation is in progress on this resource', Conflict],
    [409, 'OperationNotAllowed', 'disk size 30 GB is smaller than the size of the disk in the image: 64 GB', Refused],
    [
      409,
      'OperationNotAllowed',
      'Operation could not be completed as it results in exceeding approved Total Regional Cores quota',
      QuotaExceeded,
    ],
    [409, 'AllocationFailed', '', NoCapacity],
    [409, 'ZonalAllocationFailed', '', NoCapacity],
    [409, 'OverconstrainedAllocationRequest', '', NoCapacity],
    [409, 'OverconstrainedZonalAllocationRequest', '', NoCapacity],
    [403, 'AuthorizationFailed', '', Forbidden],
    [403, 'RequestDisallowedByPolicy', '', Refused],
    [401, 'ExpiredAuthenticationToken', '', Unauthenticated],
    [401, 'InvalidAuthenticationToken', '', Unauthenticated],
    [401, 'AuthenticationFailed', '', Unauthenticated],
    [401, 'Conflict', '', Unauthenticated],
    [429, 'OperationNotAllowed', '', Throttled],
    [500, 'InternalServerError', '', TransientError],
    [503, 'ServiceUnavailable', '', TransientError],
    [408, '', '', TransientError],
    [400, 'InvalidParameter', '', Refused],
  ])('%i %s %s', (status, code, message, kind) => {
    const failure = failed(status, code, message);
    expect(failure).toBeInstanceOf(kind);
    if (kind === TransientError) expect(failure.constructor).toBe(TransientError);
  });

  it('keeps the wait of a throttled response, with or without a wrapper', () => {
    const details = [{ code: 'TooManyRequests', message: 'slow down' }];
    const bare = { status: 429, headers: { 'retry-after': '1200' }, body: { code: 'OperationNotAllowed', details } };
    expect(failureOfResponse(bare, 'it', 0)).toMatchObject({ retryAfterMs: 1_200_000 });
    expect(failureOfResponse({ ...bare, status: 409, body: { error: bare.body } }, 'it', 0)).toBeInstanceOf(Throttled);
  });

  it('does not mistake a throttled part of a failure for its reason', () => {
    const details = [{ code: 'TooManyRequests', message: 'slow down' }];
    const error = { code: 'InvalidParameter', message: 'no', details };
    expect(failureOfResponse({ status: 400, headers: {}, body: { error } }, 'it', 0)).toBeInstanceOf(Refused);
    expect(operationFailure({ error }, 'it')).toBeInstanceOf(Refused);
  });

  it('retries an operation that failed because Azure throttled it', () => {
    const details = [{ code: 'TooManyRequests', message: 'slow down' }];
    const error = { code: 'OperationNotAllowed', message: 'The server rejected the request.', details };
    expect(operationFailure({ error }, 'it')).toBeInstanceOf(Throttled);
  });

  it('names the missing action and its scope', () => {
    const message =
      "The client 'a' with object id 'b' does not have authorization to perform action 'Microsoft.Compute/snapshots/write' over scope '/subscriptions/s/resourceGroups/g' or the scope is invalid.";
    expect(failed(403, 'AuthorizationFailed', message).message).toContain(
      'lack Microsoft.Compute/snapshots/write on /subscriptions/s/resourceGroups/g',
    );
  });

  it('names the missing action on the linked resource, not the allowed one', () => {
    const message =
      "The client has permission to perform action 'Microsoft.Compute/virtualMachineScaleSets/write' on scope '/a'; however, it does not have permission to perform action(s) 'Microsoft.Compute/galleries/images/versions/read' on the linked scope(s) '/b' (respectively).";
    expect(failed(403, 'LinkedAuthorizationFailed', message).message).toContain(
      'lack Microsoft.Compute/galleries/images/versions/read on /b',
    );
  });

  it.each([
    [404, 'SubscriptionNotFound', '--subscription'],
    [401, 'ExpiredAuthenticationToken', '--login'],
    [401, 'ExpiredAuthenticationToken', 'clock'],
    [401, 'InvalidAuthenticationTokenTenant', '--tenant'],
    [403, 'AuthorizationFailed', 'role'],
  ])('%i %s has a next step', (status, code, next) => {
    expect(failed(status, code)).toMatchObject({ next: expect.stringContaining(next) });
  });

  it('distinguishes missing zone redundancy from other invalid parameters', () => {
    const message = "Standard_ZRS is not supported in region 'northeurope'.";
    expect(failed(400, 'InvalidParameter', message)).toMatchObject({ code: 'vms/no-zone-redundancy' });
  });

  it('accepts a body that is not an error', () => {
    expect(failureOfResponse({ status: 502, headers: {}, body: undefined }, 'it', 0).message).toContain('HTTP 502');
    expect(failureOfResponse({ status: 404, headers: {}, body: 'gone' }, 'it', 0)).toBeInstanceOf(NotFound);
  });
});

describe('an operation that failed', () => {
  const ended = (code: string, message = 'why', more = {}) =>
    operationFailure({ status: 'Failed', error: { code, message, ...more } }, 'it');

  it.each<[string, new (...args: never[]) => Error]>([
    ['AllocationFailed', NoCapacity],
    ['OperationPreempted', Conflict],
    ['Conflict', Conflict],
    ['QuotaExceeded', QuotaExceeded],
    ['InvalidParameter', Refused],
    ['InternalExecutionError', TransientError],
    ['VMExtensionProvisioningError', TransientError],
  ])('with %s', (code, kind) => {
    expect(ended(code)).toBeInstanceOf(kind);
  });

  it('is translated by the code in its details', () => {
    expect(
      ended('ResourceOperationFailure', 'see details', { details: [{ code: 'AllocationFailed' }] }),
    ).toBeInstanceOf(NoCapacity);
    expect(ended('Outer', 'x', { innererror: { code: 'OperationPreempted' } })).toBeInstanceOf(Conflict);
  });

  it('may have no code', () => {
    expect(operationFailure({ status: 'Canceled' }, 'it')).toMatchObject({ code: 'vms/operation-failed' });
  });
});

describe('a request without a response', () => {
  const failedLogin = (name: string, message: string) => Object.assign(new Error(message), { name });

  it('is transient when the network failed, and its error does not contain the request', () => {
    const thrown = Object.assign(failedLogin('RestError', 'read ECONNRESET'), {
      code: 'ECONNRESET',
      request: { body: 'canary-custom-data' },
    });
    const failure = failureWithoutResponse(thrown, 'it');
    expect(failure).toBeInstanceOf(TransientError);
    expect(inspect(failure, { depth: 9 })).not.toContain('canary');
  });

  it('is a user error when the login failed', () => {
    expect(failureWithoutResponse(failedLogin('CredentialUnavailableError', 'no az\nstack'), 'it')).toMatchObject({
      code: 'azure/login-failed',
      message: 'it: could not log in to Azure: no az',
    });
  });

  it('names the login that failed', () => {
    const thrown = Object.assign(failedLogin('AuthenticationError', 'expired'), { loginFrom: 'AZURE_CLIENT_SECRET' });
    expect(failureWithoutResponse(thrown, 'it')).toMatchObject({
      message: 'it: could not log in to Azure with AZURE_CLIENT_SECRET: expired',
    });
  });

  it('lists the reason of each login that was tried', () => {
    const errors = [new Error('no az. See https://a.b/c for more.\nhint'), new Error('Error: no azd.')];
    const thrown = Object.assign(failedLogin('AggregateAuthenticationError', 'all failed'), { errors });
    expect(failureWithoutResponse(thrown, 'it')).toMatchObject({
      message: 'it: could not log in to Azure; none of these works:\n       - no az\n       - no azd',
      next: expect.stringMatching(/^`az login`/),
    });
  });

  it.each([
    ['service-principal', 'AZURE_CLIENT_SECRET', 'AZURE_CLIENT_SECRET'],
    ['service-principal', 'azure.json', 'aadClientSecret in azure.json'],
    ['workload-identity', 'AZURE_FEDERATED_TOKEN_FILE', 'AZURE_FEDERATED_TOKEN_FILE'],
    ['managed-identity', 'azure.json', 'identity'],
    ['operator', 'the login on this machine', '`az login`'],
  ])('names what to check for a %s from %s', (loginKind, loginFrom, named) => {
    const thrown = Object.assign(failedLogin('AuthenticationError', 'no'), { loginKind, loginFrom });
    expect(failureWithoutResponse(thrown, 'it')).toMatchObject({ next: expect.stringContaining(named) });
  });

  it('passes our own errors and bugs through unchanged', () => {
    for (const thrown of [new UserError('x', { code: 'a/b' }), new TypeError('bug'), 'text'])
      expect(failureWithoutResponse(thrown, 'it')).toBe(thrown);
  });
});
