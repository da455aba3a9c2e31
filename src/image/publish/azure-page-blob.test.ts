import { describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { Conflict, Forbidden, NotFound, Refused, Throttled } from '../../base/failures.ts';
import { blobFailure } from './azure-page-blob.ts';

function restError(statusCode: number | undefined, code: string): Error {
  const request = { url: 'https://x?sig=hush', headers: { authorization: 'SharedKey hush' } };
  return Object.assign(new Error('words hush'), { name: 'RestError', statusCode, code, request });
}

describe('blobFailure', () => {
  it.each([
    [403, 'AuthorizationPermissionMismatch', Forbidden],
    [404, 'BlobNotFound', NotFound],
    [409, 'BlobAlreadyExists', Conflict],
    [412, 'ConditionNotMet', Conflict],
    [503, 'ServerBusy', Throttled],
    [500, 'InternalError', TransientError],
    [400, 'Md5Mismatch', TransientError],
    [400, 'InvalidPageRange', Refused],
    [undefined, 'ECONNRESET', TransientError],
  ])('translates %s %s into one of our classes, without credentials', (status, code, kind) => {
    const failure = blobFailure(restError(status, code), 'writing https://x');
    expect(failure).toBeInstanceOf(kind);
    expect(JSON.stringify([failure, (failure as Error).message])).not.toContain('hush');
  });

  it('makes a timed-out try transient', () => {
    const late = Object.assign(new Error('aborted'), { name: 'AbortError' });
    expect(blobFailure(late, 'reading x')).toBeInstanceOf(TransientError);
  });

  it('returns a bug unchanged', () => {
    const bug = new TypeError('x is undefined');
    expect(blobFailure(bug, 'reading x')).toBe(bug);
  });
});
