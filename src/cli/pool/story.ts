// cli/pool/story.ts: what is told while a pool is worked on: what is being done, what is awaited, and since when.

import type { Waiting } from '../../base/call-options.ts';
import { formatSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { cutTo } from '../output/display-width.ts';
import { printJsonLine } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { printable } from '../output/table.ts';
import type { Edges } from '../verb.ts';

export interface Story {
  step(what: string): void;
  /** For the factory's calls; on a terminal it goes on in place. */
  waiting: Waiting;
  end(): void;
}

/** With `json`, `printEvent` is told instead of people. */
export function tellStory(
  edges: Edges,
  { json }: { json?: boolean | undefined },
  printEvent = (event: object) => printJsonLine(edges, 'PoolEvent', event),
): Story {
  const startedUs = edges.nowUs();
  const { columns } = screenOf(edges, 'stderr'); // a line that wraps cannot be written over
  const elapsed = () => formatSpan(Math.round((edges.nowUs() - startedUs) / 1e6) * 1e6).padStart(9);
  let last = '';
  let lastUs = startedUs;
  let isInPlace = false;
  const line = (text: string) => {
    edges.stderr(`${isInPlace ? CLEAR : ''}${text}\n`);
    isInPlace = false;
    lastUs = edges.nowUs();
  };
  return {
    step(what) {
      last = '';
      if (json) printEvent({ event: 'step', what });
      else line(`${elapsed()}  ${printable(what)}`);
    },
    waiting(what, percent) {
      const text = printable(percent === undefined ? what : `${what} ${percent}%`);
      const isNews = text !== last;
      last = text;
      if (json) {
        if (isNews) printEvent({ event: 'waiting', for: what, percent });
      } else if (edges.isTerminal.stderr) {
        edges.stderr(`${CLEAR}${cutTo(`${elapsed()}    waiting for ${text}`, columns - 1)}`);
        isInPlace = true;
      } else if (isNews || edges.nowUs() - lastUs >= SILENCE_US) line(`${elapsed()}    waiting for ${text}`);
    },
    end() {
      if (isInPlace) edges.stderr(CLEAR);
      isInPlace = false;
    },
  };
}

/** Where lines stay, one that says nothing new comes now and then: somebody may wonder whether it hangs. */
const SILENCE_US = 30e6;
const CLEAR = '\r\u001b[K';

/** Whatever a call throws once it was interrupted, the reader is told what there is now and how to go on. */
export async function orInterrupted<T>(
  signal: AbortSignal,
  told: { kept: string; next: string; code?: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new UserError('interrupted', { code: 'pool/interrupted', exitCode: 4, cause, ...told });
  }
}
