// host/lock-name.ts: what may a lock be called? Pure: code that only names a lock loads no file system.

/** The name of its file. Each domain names its own locks: made by `lockName` alone, so that every one is a file in the folder of locks. */
export type LockName = string & { readonly isLockName: unique symbol };

/** Names that people gave are checked by their owner; what is no file name here is a bug. */
export function lockName(name: string): LockName {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new Error(`${JSON.stringify(name)} cannot be the file of a lock`);
  return name as LockName;
}
