// clone-check/result.ts: how did each item go, in the words of the clone check? For what it prints, and for the file it leaves on a clone.

export interface CheckItem {
  name: string;
  /** absent: there was nothing to do. */
  state: 'ok' | 'absent' | 'failed';
  reason?: string;
}

export interface CheckResult {
  /** Of the machine that took the disk over. */
  vmId: string;
  items: CheckItem[];
}

/** Where the check leaves what it did; there only on a machine that took a disk over. */
export const RESULT_PATH = '/var/lib/headstart/clone-check/result';

/** `item=state` lines; any other line is somebody else's. An item that comes again replaces what it said before. */
export function parseItems(text: string): CheckItem[] {
  const items = new Map<string, CheckItem>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^([a-z][a-z0-9-]*)=(ok|absent|failed)(?: (.+))?$/.exec(line);
    if (!match) continue;
    const [, name, state, reason] = match;
    items.set(name!, { name: name!, state: state as CheckItem['state'], ...(reason !== undefined && { reason }) });
  }
  return [...items.values()];
}

/** The file at RESULT_PATH; undefined when it is not one. */
export function parseCheckResult(text: string): CheckResult | undefined {
  const vmId = /^vm-id=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/m.exec(text)?.[1];
  return vmId === undefined ? undefined : { vmId, items: parseItems(text) };
}
