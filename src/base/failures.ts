// base/failures.ts: the kinds of failure of VM providers. Each provider translates the errors of its SDK into these.
import { TransientError, UserError } from './errors.ts';

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

/** The resource changed since it was read: read it again and plan again. */
export class Conflict extends TransientError {
  constructor(what: string, cause?: unknown) {
    super(what, { code: 'vms/conflict', cause });
    this.name = 'Conflict';
  }
}

/** The service limits the request rate. Retrying before `retryAfterMs` makes the wait longer. */
export class Throttled extends TransientError {
  readonly retryAfterMs: number;

  constructor(what: string, retryAfterMs: number, cause?: unknown) {
    super(what, { code: 'vms/throttled', cause });
    this.name = 'Throttled';
    this.retryAfterMs = retryAfterMs;
  }
}

/** The change was not sent: the time in which it was allowed is over. Read the state again and plan again. */
export class TooLate extends TransientError {
  constructor(what: string) {
    super(what, { code: 'vms/too-late' });
    this.name = 'TooLate';
  }
}

/** No capacity for the instance now, mostly when a deallocated instance starts. Keep retrying, and warn. */
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

/** The service does not accept the login's token, nor a fresh one. Says nothing about rights: those are `Forbidden`. */
export class Unauthenticated extends UserError {
  constructor(what: string, cause?: unknown, next?: string) {
    super(what, { code: 'vms/unauthenticated', exitCode: 1, cause, ...(next !== undefined && { next }) });
    this.name = 'Unauthenticated';
  }
}

/** The login is known and lacks a right. */
export class Forbidden extends UserError {
  constructor(what: string, cause?: unknown, next?: string) {
    super(what, { code: 'vms/forbidden', exitCode: 1, cause, ...(next !== undefined && { next }) });
    this.name = 'Forbidden';
  }
}

/** The provider will never accept this request, for example storage in another region or an unusable image. */
export class Refused extends UserError {
  constructor(what: string, code = 'vms/refused', cause?: unknown, next?: string) {
    super(what, { code, exitCode: 1, cause, ...(next !== undefined && { next }) });
    this.name = 'Refused';
  }
}

/** The region has no zone-redundant storage for image versions. Only a failed request shows that. */
export class NoZoneRedundancy extends Refused {
  constructor(what: string, cause?: unknown) {
    super(what, 'vms/no-zone-redundancy', cause);
    this.name = 'NoZoneRedundancy';
  }
}
