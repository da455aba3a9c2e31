// sims/azure/referee/hearing.ts: which exchanges do the recordings reject, and what do they only note?
import type { HttpExchange } from '../service/listen.ts';
import { mayBeLeftOut } from './left-out.ts';
import type { RecordingFinding, Witness } from './witness.ts';

/** A problem of a request or an answer. */
export interface Rejection {
  exchange: string;
  side: 'request' | 'answer';
  findings: string[];
}

export interface RecordedReport {
  /** Exchanges of a kind that was recorded. */
  heard: number;
  /** Fields of them that were compared. */
  fields: number;
  /** Fields that the service always sends and the simulator leaves out, each for a reason in `left-out.ts`. */
  leftOut: string[];
  /** Fields that the specification allows and no recording has, so we have not seen the service use them. */
  unrecorded: string[];
}

export interface RecordingVerdict {
  hear(exchange: HttpExchange): Rejection[];
  report(): RecordedReport;
}

export function openHearing(witness: Witness): RecordingVerdict {
  let heard = 0;
  let fields = 0;
  const leftOut = new Set<string>();
  const unrecorded = new Set<string>();

  return {
    hear(exchange) {
      const testimony = witness.hear(exchange);
      if (!testimony) return [];
      heard++;
      fields += testimony.fields;
      const against: RecordingFinding[] = [];
      for (const finding of testimony.findings) {
        if (finding.difference === 'unrecorded') unrecorded.add(nameOf(finding));
        else if (finding.difference === 'lacking' && mayBeLeftOut(finding)) leftOut.add(nameOf(finding));
        else against.push(finding);
      }
      return rejectionsOf(exchange, against);
    },
    report: () => ({ heard, fields, leftOut: [...leftOut].sort(), unrecorded: [...unrecorded].sort() }),
  };
}

const SAID = { lacking: 'every recorded answer has', contradicted: 'no recording has this type of' } as const;

function rejectionsOf({ method, path, answer }: HttpExchange, against: readonly RecordingFinding[]): Rejection[] {
  return (['request', 'answer'] as const).flatMap((side) => {
    const findings = against.flatMap((finding) =>
      finding.side === side && finding.difference !== 'unrecorded'
        ? [`${SAID[finding.difference]} ${finding.path}`]
        : [],
    );
    return findings.length > 0 ? [{ exchange: `${method} ${path} → ${answer.status}`, side, findings }] : [];
  });
}

function nameOf({ operation, side, path }: RecordingFinding): string {
  return `${operation} ${side} ${path}`;
}
