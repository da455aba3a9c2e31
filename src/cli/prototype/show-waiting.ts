// cli/prototype/show-waiting.ts: what is told of a wait that belongs to no step: a cloud that asks to slow down, an update that takes its minute.

import type { Waiting } from '../../base/call-options.ts';
import { formatSpan } from '../../base/duration.ts';
import type { Tell } from '../../prototype/run/run-event.ts';
import { printable } from '../output/table.ts';
import type { Edges } from '../verb.ts';

/** One line for each thing that is awaited; the same one twice in a row is no news. */
export function showWaiting({ stderr, isTerminal }: Pick<Edges, 'stderr' | 'isTerminal'>): Waiting {
  let last = '';
  return (what) => {
    const text = `waiting: ${printable(what)}`;
    if (text === last) return;
    last = text;
    stderr(`${isTerminal.stderr ? CLEAR : ''}${text}\n`);
  };
}

/** A run may be showing a wait of its own in place. */
const CLEAR = '\r\u001b[K';

/** For a verb that tells no story of its own: only what goes wrong and is tried again. */
export function showRetries({ stderr }: Pick<Edges, 'stderr'>): Tell {
  return (event) => {
    if (event.event !== 'retry') return;
    stderr(`waiting: ${printable(event.because)}; again in ${formatSpan(event.inMs * 1000)}\n`);
  };
}
