// boot/collect/collect-result.ts: which files were collected from a machine, and which are missing and why?

export interface CollectResult {
  /** Empty if unknown. */
  hostname: string;
  members: BundleMember[];
  missed: MissedItem[];
}

export interface BundleMember {
  name: string;
  bytes: Uint8Array;
  /** Set if the content is incomplete: which part was kept. */
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

/** A log truncated at its front starts with a partial line. */
export function fromFirstWholeLine(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf(10) + 1);
}

export function toLastWholeLine(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}
