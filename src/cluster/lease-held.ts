// cluster/lease-held.ts: the error when another run holds the pool: who, since when, until when?
import { UserError } from '../base/errors.ts';
import type { Lease } from './cluster.ts';

export class LeaseHeld extends UserError {
  readonly lease: Lease;

  constructor(name: string, lease: Lease) {
    const untilText = new Date(lease.renewedMs + lease.durationMs).toISOString();
    super(`${name} is held by ${lease.holder} (${lease.note}), renewed at ${new Date(lease.renewedMs).toISOString()}`, {
      code: 'prototype/locked',
      kept: 'Nothing was touched.',
      next: `wait for that run; if it is dead, its hold expires at ${untilText} and the same command takes over`,
      exitCode: 1,
    });
    this.name = 'LeaseHeld';
    this.lease = lease;
  }
}
