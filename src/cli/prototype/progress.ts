// cli/prototype/progress.ts: how is a long run shown? One line per thing that happens; on a terminal the wait goes on in place.
import { formatSpan } from '../../base/duration.ts';
import type { RunEvent } from '../../prototype/run/engine.ts';
import { cutTo } from '../output/display-width.ts';
import { printJsonLine } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { printable } from '../output/table.ts';
import type { Edges } from '../verb.ts';

export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

export function showProgress(edges: Edges, options: { json?: boolean; logLevel: LogLevel }): (event: RunEvent) => void {
  const startedUs = edges.nowUs();
  const { columns } = screenOf(edges, 'stderr');
  const usual = new Map<string, number>();
  let stepUs = startedUs;
  let lastLine = '';
  let isInPlace = false;
  const line = (text: string) => {
    edges.stderr(`${isInPlace ? '\r\u001b[K' : ''}${text}\n`);
    isInPlace = false;
  };
  const elapsed = () => formatSpan(Math.round((edges.nowUs() - startedUs) / 1e6) * 1e6).padStart(9);
  return (event) => {
    if (options.json && event.event !== 'plan') {
      printJsonLine(edges, 'PrototypeEvent', event);
      return;
    }
    if (event.event === 'plan') for (const { id, usuallyMs } of event.steps) usual.set(id, usuallyMs);
    if (!isShown(event, options.logLevel)) return;
    if (event.event === 'donor') {
      line(`${elapsed()}  the donor is ${event.node}: ${printable(event.because)}`);
    } else if (event.event === 'step' && event.attempt === 1) {
      stepUs = edges.nowUs();
      line(`${elapsed()}  ${event.title}${usually(usual.get(event.step))}`);
    } else if (event.event === 'waiting') {
      const percent = event.percent === undefined ? '' : ` ${event.percent}%`;
      const text = `${elapsed()}    waiting for ${printable(event.for)}${percent}`;
      if (edges.isTerminal.stderr) {
        const since = ` (${formatSpan(edges.nowUs() - stepUs)})`;
        // One line: what is written over it next clears only the last one.
        edges.stderr(`\r\u001b[K${cutTo(text, columns - since.length - 1)}${since}`);
        isInPlace = true;
      } else if (text.slice(9) !== lastLine) {
        line(text);
        lastLine = text.slice(9);
      }
    } else if (event.event === 'retry') {
      line(
        `${elapsed()}    ${printable(event.because)}; again in ${formatSpan(event.inMs * 1000)} (attempt ${event.attempt})`,
      );
    } else if (event.event === 'going-home') {
      line(`${elapsed()}  ${printable(event.because)}`);
      line(`${elapsed()}  bringing the donor back into service first (interrupted again, it stays out)`);
    }
  };
}

/** Worth telling from where on somebody might wonder. */
const LONG_MS = 60_000;

function usually(ms: number | undefined): string {
  return ms === undefined || ms < LONG_MS ? '' : ` (usually ${formatSpan(ms * 1000)})`;
}

const LEVEL_OF: Readonly<Record<RunEvent['event'], LogLevel>> = {
  donor: 'INFO',
  plan: 'DEBUG',
  step: 'INFO',
  waiting: 'INFO',
  retry: 'WARNING',
  'going-home': 'ERROR',
};
const ORDER: readonly LogLevel[] = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'];

function isShown(event: RunEvent, level: LogLevel): boolean {
  return ORDER.indexOf(LEVEL_OF[event.event]) >= ORDER.indexOf(level);
}
