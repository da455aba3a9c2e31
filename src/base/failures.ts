// base/failures.ts: the kinds of failure a VM provider has, in our words. Providers translate their SDK's errors into these at the edge.
import { TransientError, UserError } from './errors.ts';

/** What was asked for does not exist. */
export class NotFound extends UserError {
  constructor(what: string, cause?: unknown, help: { instead?: string; next?: string } = {}) {
    const { instead, next } = help;
    super(`${what} does not exist${instead === undefined ? '' : `; ${instead}`}`, {
      code: 'vms/not-found',
      exitCode: 1,
      cause,
      ...(next !== undefined && { next }),
    });
    this.name = 'NotFound';
  }
}

/** The thing changed since it was read: read again and plan again. */
export class Conflict extends TransientError {
  constructor(what: string, cause?: unknown) {
    super(what, { code: 'vms/conflict', cause });
    this.name = 'Conflict';
  }
}

/** Asked to slow down. The wait has to be honoured: asking earlier makes it longer. */
export class Throttled extends TransientError {
  readonly retryAfterMs: number;

  constructor(what: string, retryAfterMs: number, cause?: unknown) {
    super(what, { code: 'vms/throttled', cause });
    this.name = 'Throttled';
    this.retryAfterMs = retryAfterMs;
  }
}

/** No room for the instance right now (a start after a deallocation, mostly). Keep trying; say it loudly. */
export class NoCapacity extends TransientError {
  constructor(what: string, cause?: unknown) {
    super(what, { code: 'vms/no-capacity', cause });
    this.name = 'NoCapacity';
  }
}

export class QuotaExceeded extends UserError {
  constructor(what: string, cause?: unknown) {
    super(what, {
      code: 'vms/quota-exceeded',
      exitCode: 1,
      next: 'raise the quota, then run the same command again',
      cause,
    });
    this.name = 'QuotaExceeded';
  }
}

/** The credentials may not do this. */
export class Forbidden extends UserError {
  constructor(what: string, cause?: unknown, next?: string) {
    super(what, { code: 'vms/forbidden', exitCode: 1, cause, ...(next !== undefined && { next }) });
    this.name = 'Forbidden';
  }
}

/** The provider will never do this to that thing: another region's storage, an impossible image. */
export class Refused extends UserError {
  constructor(what: string, code = 'vms/refused', cause?: unknown, next?: string) {
    super(what, { code, exitCode: 1, cause, ...(next !== undefined && { next }) });
    this.name = 'Refused';
  }
}

/** The region cannot keep a version on zone-redundant storage; none tells before it is asked. */
export class NoZoneRedundancy extends Refused {
  constructor(what: string, cause?: unknown) {
    super(what, 'vms/no-zone-redundancy', cause);
    this.name = 'NoZoneRedundancy';
  }
}
