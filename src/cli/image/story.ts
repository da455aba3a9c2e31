// cli/image/story.ts: what is told while an image is worked on: as of pools, under its own kind of event.
import { printJsonLine } from '../output/json.ts';
import { orInterrupted, type Story, tellStory } from '../pool/story.ts';
import type { Edges } from '../verb.ts';

export type { Story };

export function tellImageStory(edges: Edges, options: { json?: boolean | undefined }): Story {
  return tellStory(edges, options, (event) => printJsonLine(edges, 'ImageEvent', event));
}

/** Whatever a call throws once it was interrupted, the reader is told what there is now and how to go on. */
export function orImageInterrupted<T>(
  signal: AbortSignal,
  told: { kept: string; next: string },
  work: () => Promise<T>,
): Promise<T> {
  return orInterrupted(signal, { ...told, code: 'image/interrupted' }, work);
}
