// clone-check/result.ts: what is the result of each item of the clone check? Parses its output and the result file on a clone.

export interface CheckItem {
  name: string;
  /** absent: nothing to do. */
  state: 'ok' | 'absent' | 'failed';
  reason?: string;
}

export interface CheckResult {
  /** The machine that took over the disk. */
  vmId: string;
  items: CheckItem[];
}

/** Exists only on a machine that took over a disk. */
export const RESULT_PATH = '/var/lib/headstart/clone-check/result';

/** Reads `item=state` lines and ignores other lines. If an item is repeated, the last one counts. */
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

/** `text`: the content of RESULT_PATH. Undefined if it is not a result. */
export function parseCheckResult(text: string): CheckResult | undefined {
  const vmId = /^vm-id=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/m.exec(text)?.[1];
  return vmId === undefined ? undefined : { vmId, items: parseItems(text) };
}
