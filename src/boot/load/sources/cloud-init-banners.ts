// boot/load/sources/cloud-init-banners.ts: what do cloud-init's banners say about a boot? They are on the console and in
// cloud-init-output.log: one when each stage starts, one at the end, each with date and uptime.
import { formatSpan } from '../../../base/duration.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { Note, Span } from '../../model/record.ts';
import { bannerDate } from './logs/log-year.ts';

export interface Banner {
  version: string;
  /** As cloud-init's own log calls it; absent in the banner at the end. */
  stage?: string;
  upUs: number;
  /** Whole seconds. */
  wallUs?: number;
  datasource?: string;
}

const BANNER =
  /^Cloud-init v\. (\S{1,80}) (?:running '([\w:-]{1,40})'|finished) at .{0,200}?Up (\d{1,9}(?:\.\d{1,6})?) seconds/;
const DATASOURCE = /Datasource DataSource(\w{1,40}?)(?:Local|Net)?\b/;
const STAGES: Readonly<Record<string, string>> = {
  init: 'init-network',
  'modules:config': 'modules-config',
  'modules:final': 'modules-final',
};

export function parseBanner(text: string): Banner | undefined {
  const found = BANNER.exec(text);
  if (!found) return undefined;
  const stage = found[2] === undefined ? undefined : (STAGES[found[2]] ?? found[2]);
  const wallUs = bannerDate(text);
  const datasource = DATASOURCE.exec(text)?.[1]?.toLowerCase();
  return {
    version: found[1]!,
    upUs: Math.round(Number(found[3]) * 1e6),
    ...(stage !== undefined && { stage }),
    ...(wallUs !== undefined && { wallUs }),
    ...(datasource !== undefined && { datasource }),
  };
}

/** The uptime has two decimals. */
const ERROR_US = 10_000;

/** The banners of one boot, in order. Times are since kernel start. */
export function bannerFacts(
  banners: readonly Banner[],
  input: string,
): Pick<Evidence, 'spans' | 'milestones' | 'anchors' | 'host' | 'notes'> {
  const started = banners.filter(({ stage }) => stage !== undefined);
  const finished = banners.find(({ stage }) => stage === undefined);
  const [first] = started;
  const final = started.find(({ stage }) => stage === 'modules-final');
  const datasource = finished?.datasource;
  const milestone = { source: 'cloud-init' as const, errorUs: ERROR_US };
  return {
    spans: final && finished && finished.upUs >= final.upUs ? [finalSpan(final, finished)] : [],
    milestones: [
      ...(first?.stage === 'init-local'
        ? [{ name: 'cloud-init-started' as const, atUs: first.upUs, ...milestone, detail: first.stage }]
        : []),
      ...(finished ? [{ name: 'cloud-init-finished' as const, atUs: finished.upUs, ...milestone }] : []),
    ],
    anchors: banners.flatMap(({ upUs, wallUs }) =>
      wallUs === undefined ? [] : [{ monotonicUs: upUs, wallUs, errorUs: 1e6 }],
    ),
    host: {
      ...(banners[0] && { cloudInitVersion: banners[0].version }),
      ...(datasource !== undefined && { cloud: datasource }),
    },
    notes: notesAbout(started, finished, input),
  };
}

function finalSpan(final: Banner, finished: Banner): Span {
  return {
    id: 'cloud-init:modules-final',
    name: 'modules-final',
    source: 'cloud-init',
    unit: 'cloud-final.service',
    startUs: final.upUs,
    endUs: finished.upUs,
    detail: 'until its final message',
  };
}

/** A stage's banner tells when it started. The banner of the next stage does not tell when it ended: other units run in between. */
function notesAbout(started: readonly Banner[], finished: Banner | undefined, input: string): Note[] {
  const open = started.filter(({ stage }) => stage !== 'modules-final' || !finished);
  if (open.length === 0) return [];
  const stages = open.map(({ stage, upUs }) => `${stage} at ${formatSpan(upUs)}`).join(', ');
  const text = `${input}: the banners of cloud-init tell when these stages started, not when they ended: ${stages}; add cloud-init.log for their durations`;
  return [{ level: 'warning', text }];
}
