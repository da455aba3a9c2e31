// boot/collect/collect-result.ts: what was taken from a machine, and what could not be, and why.

export interface CollectResult {
  /** As the machine calls itself; empty when it did not say. */
  hostname: string;
  members: BundleMember[];
  missed: MissedItem[];
}

export interface BundleMember {
  name: string;
  bytes: Uint8Array;
  /** What is not whole about it. */
  note?: string;
}

export interface MissedItem {
  name: string;
  why: string;
}

export const NO_SUCH_FILE = 'no such file';

/** The second word of `uname -a`. */
export function hostnameIn(members: readonly BundleMember[]): string {
  const uname = members.find((member) => member.name === 'uname.txt');
  return (uname && Buffer.from(uname.bytes).toString().split(' ')[1]) ?? '';
}

/** A log cut at its front starts with half a line, one cut at its end ends with half a line. */
export function fromFirstWholeLine(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf(10) + 1);
}

export function toLastWholeLine(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}
