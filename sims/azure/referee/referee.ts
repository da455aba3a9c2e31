// sims/azure/referee/referee.ts: does every request and answer agree with Microsoft's specification, and with recordings of the real service?
import { join } from 'node:path';
import { API_VERSIONS, servedVersions } from '../service/api-versions.ts';
import type { HttpExchange } from '../service/listen.ts';
import { findRoute } from '../service/routes.ts';
import type { BicepTypes } from './bicep-types.ts';
import { findSpecs } from './find-specs.ts';
import { openHearing, type RecordedReport, type Rejection } from './hearing.ts';
import { isAuthorization, isOperationPoll, ownFindings } from './own-checks.ts';
import { readRecordings } from './recordings.ts';
import { isStandby, readStandbyTypes, standbyFindings } from './standby-checks.ts';
import { isTolerated, type SpecificationFinding } from './tolerated.ts';
import { makeWitness } from './witness.ts';

export interface Referee {
  /** false: there are no specifications, and nothing was checked. */
  sat: boolean;
  /** Returns at once; the verdict is in the report. */
  check(exchange: HttpExchange): void;
  /** Waits for every verdict. */
  report(): Promise<Report>;
}

export interface Report {
  checked: number;
  rejected: Rejection[];
  recorded: RecordedReport;
}

export interface RefereeDeps {
  env: Readonly<Record<string, string | undefined>>;
  warn(line: string): void;
}

const PROCESS_DEPS: RefereeDeps = { env: process.env, warn: (line) => process.stderr.write(`${line}\n`) };

/** Loading the specifications takes a second: seat one referee and give it to many simulators. */
export async function seatReferee({ env, warn }: RefereeDeps = PROCESS_DEPS): Promise<Referee> {
  const specs = findSpecs(env);
  if (specs === undefined) {
    warn(
      'THE REFEREE DID NOT SIT: no Azure specifications in HEADSTART_AZURE_SPECS or ../shared/azure-specs; no exchange was checked',
    );
    const report = { checked: 0, rejected: [], recorded: { heard: 0, fields: 0, leftOut: [], unrecorded: [] } };
    return { sat: false, check: () => {}, report: async () => report };
  }
  const recordings = readRecordings(specs);
  if (recordings.length === 0) warn(`THE SECOND REFEREE DID NOT SIT: no recorded traffic in ${specs}`);
  const hearing = openHearing(makeWitness(recordings));
  const validator = await loadValidator(specs);
  const standbyTypes = readStandbyTypes(specs);
  if (!standbyTypes) warn(`STANDBY POOLS ARE NOT CHECKED: no generated types of Microsoft.StandbyPool in ${specs}`);
  const verdicts: Promise<Rejection[]>[] = [];
  return {
    sat: true,
    check(exchange) {
      const heard = hearing.hear(exchange);
      verdicts.push(judge({ validator, standbyTypes }, exchange).then((rejections) => [...rejections, ...heard]));
    },
    report: async () => ({
      checked: verdicts.length,
      rejected: (await Promise.all(verdicts)).flat(),
      recorded: hearing.report(),
    }),
  };
}

/** One line with the counts. "Nothing checked" differs from "nothing rejected". */
export function describeReport({ checked, rejected, recorded }: Report): string {
  if (checked === 0) return 'referee: DID NOT SIT, or was given nothing: 0 exchanges checked';
  const { heard, fields, leftOut, unrecorded } = recorded;
  return (
    `referee: ${checked} exchanges checked, ${rejected.length} rejected; ${heard} of them of a recorded kind, ` +
    `${fields} fields compared: ${leftOut.length} left out for a reason, ${unrecorded.length} never recorded`
  );
}

interface Judges {
  validator: Awaited<ReturnType<typeof loadValidator>>;
  standbyTypes: BicepTypes | undefined;
}

async function loadValidator(specs: string) {
  const { LiveValidator } = await import('oav');
  const validator = new LiveValidator(
    {
      directory: join(specs, 'specification'),
      git: { shouldClone: false },
      // One level each: a deeper pattern loads the examples as if they were specifications.
      swaggerPathsPattern: ['compute/resource-manager/Microsoft.Compute/*/stable/*/*.json'],
      isPathCaseSensitive: false,
      isArmCall: true,
    },
    () => {}, // its log is long and only repeats the findings
  );
  await validator.initialize();
  return validator;
}

async function judge({ validator, standbyTypes }: Judges, exchange: HttpExchange): Promise<Rejection[]> {
  const name = `${exchange.method} ${exchange.path} → ${exchange.answer.status}`;
  const rejections: Rejection[] = [];
  const reject = (side: Rejection['side'], findings: string[]) => {
    if (findings.length > 0) rejections.push({ exchange: name, side, findings });
  };
  if (isStandby(exchange.path) && !isOperationPoll(exchange.path)) {
    const { request, answer } = standbyTypes ? standbyFindings(standbyTypes, exchange) : { request: [], answer: [] };
    reject('request', request);
    reject('answer', answer);
    return rejections;
  }
  reject('answer', ownFindings(exchange));
  // Neither operations nor rights are in the specification.
  if (isOperationPoll(exchange.path) || isAuthorization(exchange.path)) return rejections;
  if (!/\/providers\/Microsoft\.Compute\//i.test(exchange.path)) return rejections; // nor are subscriptions and groups
  const { specified, isOther } = asSpecified(exchange);
  const { requestValidationResult, responseValidationResult } = await validator.validateLiveRequestResponse({
    liveRequest: liveRequest(specified),
    liveResponse: liveResponse(specified),
  });
  // A newer client may send fields that the stored specification does not have yet.
  if (!isOther) {
    reject(
      'request',
      findingsOf(requestValidationResult, () => false),
    );
  }
  if (!isUndeclaredError(exchange)) reject('answer', findingsOf(responseValidationResult, isTolerated));
  return rejections;
}

/** Every version that is served answers in the shape of the one that has a specification. */
function asSpecified(exchange: HttpExchange): { specified: HttpExchange; isOther: boolean } {
  const provider = findRoute(exchange.method, exchange.path)?.route.provider;
  const query = new URLSearchParams(exchange.query);
  const version = query.get('api-version');
  const isOther =
    provider !== undefined && version !== API_VERSIONS[provider] && servedVersions(provider).includes(version ?? '');
  if (!isOther) return { specified: exchange, isOther };
  query.set('api-version', API_VERSIONS[provider]);
  return { specified: { ...exchange, query: `?${query}` }, isOther };
}

interface Result {
  isSuccessful?: boolean;
  errors: { code: string; pathsInPayload: string[]; message: string }[];
  runtimeException?: { code: string; message: string };
}

/** Only `true` is success: for an unknown api-version the validator returns undefined. */
function findingsOf(
  { isSuccessful, errors, runtimeException }: Result,
  isFine: (finding: SpecificationFinding) => boolean,
): string[] {
  if (isSuccessful === true) return [];
  if (runtimeException) return [`${runtimeException.code}: ${runtimeException.message}`];
  const findings = errors.map(({ code, pathsInPayload, message }) => ({ code, paths: pathsInPayload, message }));
  if (findings.length === 0) return ['the validator neither approved nor objected'];
  return findings
    .filter((finding) => !isFine(finding))
    .map(({ code, paths, message }) => `${code} at ${paths.join(', ') || 'the document'}: ${message}`);
}

/** Disks and snapshots declare only successes; `own-checks.ts` checks their errors. */
function isUndeclaredError({ path, answer }: HttpExchange): boolean {
  return answer.status >= 400 && /\/(disks|snapshots)(\/|$)/i.test(path);
}

function liveRequest({ method, path, query, headers, body }: HttpExchange) {
  const sent = withoutToken(headers);
  return { method, url: `${path}${query}`, headers: sent, ...(hasBody(method, body) && { body }) };
}

function liveResponse({ answer }: HttpExchange) {
  return {
    statusCode: String(answer.status),
    headers: { ...answer.headers, ...(answer.body && { 'content-type': 'application/json' }) },
    ...(answer.body && { body: structuredClone(answer.body) }),
  };
}

function hasBody(method: string, body: HttpExchange['body']): boolean {
  return method === 'PUT' || method === 'PATCH' || Object.keys(body).length > 0;
}

function withoutToken(headers: HttpExchange['headers']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && name !== 'authorization') kept[name] = value;
  }
  return kept;
}
