// cli/prototype/progress.ts: how is a long run shown? One line per thing that happens; on a terminal the wait goes on in place.
import { formatSpan } from '../../base/duration.ts';
import type { RunEvent } from '../../prototype/engine.ts';
import { printJsonLine } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { Edges } from '../verb.ts';

export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

export function showProgress(edges: Edges, options: { json?: boolean; logLevel: LogLevel }): (event: RunEvent) => void {
  const startedUs = edges.nowUs();
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
    if (!isShown(event, options.logLevel)) return;
    if (event.event === 'step' && event.attempt === 1) {
      stepUs = edges.nowUs();
      line(`${elapsed()}  ${event.title}`);
    } else if (event.event === 'waiting') {
      const percent = event.percent === undefined ? '' : ` ${event.percent}%`;
      const text = `${elapsed()}    waiting for ${printable(event.for)}${percent}`;
      if (edges.isTerminal.stderr) {
        edges.stderr(`\r\u001b[K${text} (${formatSpan(edges.nowUs() - stepUs)})`);
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
      line(`${elapsed()}  bringing the donor back into service first`);
    }
  };
}

const LEVEL_OF: Readonly<Record<RunEvent['event'], LogLevel>> = {
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
