// demo/apt/held-lock.ts: does apt or dpkg report that another process holds its lock, and which process?

export interface HeldLock {
  /** The lock file, or dpkg's name of it. */
  lock: string;
  /** `process 123 (unattended-upgr)`; apt before 2.0 does not name it. */
  holder?: string;
}

/** The messages of apt 2, apt 1 and dpkg. A lock that cannot be opened (no root, a read-only disk) is not held. */
const SAYINGS = [
  /Could not get lock (?<lock>\S+)\. It is held by (?<holder>process \d+(?: \([^)]*\))?)/,
  /Could not get lock (?<lock>\S+) - open \(11: /,
  /error: (?<lock>.+) was locked by another process with pid (?<pid>\d+)/,
  /\((?<lock>\/[^)]+)\), is another process using it\?/,
];

/** From the last line that names the holder, otherwise from the last line about a held lock. */
export function heldLock(lines: readonly string[]): HeldLock | undefined {
  const said = lines.map(heldLockOf).filter((held) => held !== undefined);
  return said.findLast(({ holder }) => holder) ?? said.at(-1);
}

function heldLockOf(line: string): HeldLock | undefined {
  for (const saying of SAYINGS) {
    const { lock, holder, pid } = saying.exec(line)?.groups ?? {};
    if (lock && (holder || pid)) return { lock, holder: holder ?? `process ${pid}` };
    if (lock) return { lock };
  }
  return undefined;
}

/** `process 123 (apt-get) holds /var/lib/dpkg/lock-frontend`. */
export function renderHeldLock({ lock, holder = 'another process' }: HeldLock): string {
  return `${holder} holds ${lock}`;
}
