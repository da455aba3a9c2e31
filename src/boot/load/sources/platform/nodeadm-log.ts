// boot/load/sources/platform/nodeadm-log.ts: reads the log of nodeadm as it writes it: one JSON object per line, with the wall clock.
import { type Evidence, evidence } from '../../../model/evidence.ts';
import { headText, type Input, linesOf } from '../../input.ts';
import type { EvidenceSource } from '../source.ts';
import { nodeadmFacts, parseNodeadmLine, type TimedNodeadmEvent } from './nodeadm-lines.ts';

export const nodeadmLogSource = {
  kind: 'nodeadm-log',
  title: 'the log of nodeadm',
  recognise,
  parse,
} satisfies EvidenceSource;

function recognise(input: Input): number {
  const steps = headText(input)
    .split('\n', 200)
    .map((line) => (line.startsWith('{"') ? parseNodeadmLine(line) : undefined))
    .filter((event) => event?.wallUs !== undefined && !event.isFailure); // other programs fail in the same format
  return steps.length >= 2 ? 0.9 : 0;
}

function parse(input: Input): Evidence[] {
  const events: TimedNodeadmEvent[] = [];
  for (const line of linesOf(input)) {
    const event = line.startsWith('{"') ? parseNodeadmLine(line) : undefined;
    if (event?.wallUs !== undefined) events.push({ ...event, atUs: event.wallUs });
  }
  const facts = nodeadmFacts(events);
  if (facts.spans.length === 0 && facts.notes.length === 0) return [];
  return [evidence({ kind: 'nodeadm-log', input: input.name, clock: 'wall', ...facts })];
}
