// node/triggers/node-watch.ts: is a new document announced on this node's Node object? The program that changes the metadata of an
// instance can set annotations with generation and hash, so that the daemon reads the metadata within a second instead of at its next poll.
// The document itself always comes from the metadata.
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { NodeMetadata, OwnNode } from '../api/own-node.ts';
import type { Announcement } from '../daemon/state.ts';
import { DESIRED_GENERATION, DESIRED_HASH } from '../status/node-report.ts';

export interface NodeWatchDeps {
  node: Pick<OwnNode, 'watchMetadata'>;
  clock: Clock;
  /** From 0 up to 1. */
  random(): number;
  onAnnouncement(announcement: Announcement): void;
  /** The Node was deleted and created again: the name has another uid. */
  onNewNode?(): void;
  /** Called when the cause changes, not for every failure. */
  onTrouble(message: string): void;
}

/** Full jitter, so that not all nodes reconnect at once when the API server is back. */
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 60_000, jitter: 1 };

/** Ends only with `signal`. Without an API server the daemon still polls. */
export async function watchOwnNode(deps: NodeWatchDeps, signal: AbortSignal): Promise<void> {
  const { node, clock, random, onTrouble } = deps;
  let failures = 0;
  let lastTrouble = '';
  let lastUid: string | undefined;
  const onMetadata = (metadata: NodeMetadata) => {
    failures = 0;
    lastTrouble = '';
    if (lastUid !== undefined && lastUid !== metadata.uid) deps.onNewNode?.();
    lastUid = metadata.uid;
    const announcement = announcementIn(metadata);
    if (announcement) deps.onAnnouncement(announcement);
  };
  while (!signal.aborted) {
    try {
      await node.watchMetadata(onMetadata, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiFailure)) throw error;
      if (error.message !== lastTrouble) onTrouble(error.message);
      lastTrouble = error.message;
      failures++;
    }
    await clock.sleep(pauseMs(failures + 1, BACKOFF, { random: random() }), signal).catch(() => {});
  }
}

/** Undefined: no announcement, or an invalid one. */
export function announcementIn({ annotations }: Pick<NodeMetadata, 'annotations'>): Announcement | undefined {
  const [generation, hash] = [annotations[DESIRED_GENERATION], annotations[DESIRED_HASH]];
  if (generation === undefined || !/^[1-9]\d{0,14}$/.test(generation)) return undefined;
  if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  return { generation: Number(generation), ...(hash !== undefined && { documentHash: hash }) };
}
