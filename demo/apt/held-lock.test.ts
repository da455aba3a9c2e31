import { describe, expect, it } from 'vitest';
import { heldLock, renderHeldLock } from './held-lock.ts';

// Recorded with apt 2.6.1 and dpkg 1.21.22 of Debian 12 while a process held each lock; the one of apt 1 is from Debian 10.
const HELD = [
  {
    command: 'apt-get update',
    lines: [
      'Reading package lists...',
      'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 10626 (python3)',
      'E: Unable to lock directory /var/lib/apt/lists/',
    ],
    said: 'process 10626 (python3) holds /var/lib/apt/lists/lock',
  },
  {
    command: 'apt-get install',
    lines: [
      'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 10857 (python3)',
      'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
    ],
    said: 'process 10857 (python3) holds /var/lib/dpkg/lock-frontend',
  },
  {
    command: 'apt-get install while it waits by itself',
    lines: [
      'Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 10857 (python3)...',
    ],
    said: 'process 10857 (python3) holds /var/lib/dpkg/lock-frontend',
  },
  {
    command: 'apt-get install while dpkg runs',
    lines: ['Waiting for cache lock: Could not get lock /var/lib/dpkg/lock. It is held by process 11134 (python3)...'],
    said: 'process 11134 (python3) holds /var/lib/dpkg/lock',
  },
  {
    command: 'apt-get install after it has waited',
    lines: ['E: Unable to lock the administration directory (/var/lib/dpkg/), is another process using it?'],
    said: 'another process holds /var/lib/dpkg/',
  },
  {
    command: 'apt-get install that is to download',
    lines: [
      'Reading package lists...',
      'Building dependency tree...',
      'Reading state information...',
      'E: Could not get lock /var/cache/apt/archives/lock. It is held by process 11300 (python3)',
      'E: Unable to lock directory /var/cache/apt/archives/',
    ],
    said: 'process 11300 (python3) holds /var/cache/apt/archives/lock',
  },
  {
    command: 'dpkg',
    lines: [
      'dpkg: error: dpkg frontend lock was locked by another process with pid 25785',
      'Note: removing the lock file is always wrong, can damage the locked area',
      'and the entire system. See <https://wiki.debian.org/Teams/Dpkg/FAQ#db-lock>.',
    ],
    said: 'process 25785 holds dpkg frontend lock',
  },
  {
    command: 'apt-get update of apt 1',
    lines: [
      'E: Could not get lock /var/lib/apt/lists/lock - open (11: Resource temporarily unavailable)',
      'E: Unable to lock directory /var/lib/apt/lists/',
    ],
    said: 'another process holds /var/lib/apt/lists/lock',
  },
];

const NOT_HELD = [
  {
    why: 'it is not root',
    line: 'E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)',
  },
  {
    why: 'it is not root, said once more',
    line: 'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?',
  },
  { why: 'the folder is closed', line: 'E: Unable to lock directory /var/lib/apt/lists/' },
  { why: 'there is no such package', line: 'E: Unable to locate package nonesuch-package' },
  { why: 'the network is down', line: "E: Failed to fetch http://deb.example/x.deb  Could not resolve 'deb.example'" },
  { why: 'nothing is wrong', line: 'Setting up figlet (2.2.5-3+b1) ...' },
];

describe('a held lock', () => {
  it.each(HELD)('is read from the output of $command', ({ lines, said }) => {
    expect(renderHeldLock(heldLock(lines)!)).toBe(said);
  });

  it.each(NOT_HELD)('is not reported when $why', ({ line }) => {
    expect(heldLock([line])).toBeUndefined();
  });
});
