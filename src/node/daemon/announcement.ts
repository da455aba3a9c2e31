// node/daemon/announcement.ts: has what was announced arrived?
import type { Announcement, DaemonState } from './state.ts';

/** It may long be in force: the annotation stays on the Node. */
export function isSatisfiedBy(
  { generation, documentHash }: Announcement,
  { slots: { active }, delivered }: Pick<DaemonState, 'slots' | 'delivered'>,
): boolean {
  const isIt = (seen: { generation?: number; documentHash?: string } | undefined) =>
    seen !== undefined &&
    (documentHash === undefined ? seen.generation === generation : seen.documentHash === documentHash);
  return isIt(active) || isIt(delivered) || (active !== undefined && generation < active.generation);
}
