// host/lock-name.ts: valid names of locks. Pure, so that code that only names a lock does not load the file system.

/** The lock's file name. Only `lockName` makes one, so that every lock is a file in the lock folder. */
export type LockName = string & { readonly isLockName: unique symbol };

/** Callers check names that users give; an invalid file name here is a bug. */
export function lockName(name: string): LockName {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a valid lock name`);
  return name as LockName;
}
