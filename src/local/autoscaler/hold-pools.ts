// local/autoscaler/hold-pools.ts: one server for each pool: the kernel releases its lock when the server dies.
import { UserError } from '../../base/errors.ts';
import { withLockIfFree } from '../../host/locks.ts';
import { serverLock } from '../../vms/qemu/home/layout.ts';

/** Runs `work` while no other server has any of the pools. */
export async function holdPools(home: string, pools: readonly string[], work: () => Promise<void>): Promise<void> {
  const [pool, ...rest] = pools;
  if (pool === undefined) return work();
  let isHeld = false;
  await withLockIfFree(home, { name: serverLock(pool), why: `serving pool ${pool}` }, async () => {
    isHeld = true;
    await holdPools(home, rest, work);
  });
  if (isHeld) return;
  throw new UserError(`another server has pool ${pool}`, {
    code: 'autoscaler/pool-served',
    kept: 'Nothing was started.',
    next: 'stop the other `headstart pool serve`, or name other pools with --pool',
    exitCode: 1,
  });
}
