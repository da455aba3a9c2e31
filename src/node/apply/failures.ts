// node/apply/failures.ts: which failures can a change run into, which reason code does each get, and is the document to
// blame?
import type { CommandResult } from '../../base/command.ts';
import type { ReasonCode } from '../reason-codes.ts';

/** An expected failure of the system; any other error is a bug. The message names the step but not its content, which may be secret. */
export class StepFailed extends Error {
  readonly code: ReasonCode;

  constructor(code: ReasonCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StepFailed';
    this.code = code;
  }
}

/** With these codes the same document would fail again; with others it may work later. */
const DOCUMENT_FAILURES: readonly ReasonCode[] = [
  'apply/command-failed',
  'apply/setting-refused',
  'verify/unit-failed',
];

export function isDocumentToBlame(code: ReasonCode): boolean {
  if (code === 'verify/api-unreachable') return false; // the node cannot tell it from an outage of the control plane
  return code.startsWith('verify/') || DOCUMENT_FAILURES.includes(code);
}

/** Converts an error of the file system; returns any other error unchanged. */
export function asStepFailed(error: unknown, what: string): unknown {
  const code = errnoOf(error);
  if (code === undefined) return error;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new StepFailed(isFull ? 'apply/disk-full' : 'apply/write-failed', `${what}: ${code}`, error);
}

/** For example `ENOENT`; undefined if the error has no errno. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

/** Includes the first line of the program's stderr, shortened. */
export function commandFailed(code: ReasonCode, what: string, ran: CommandResult): StepFailed {
  const how = ran.outcome === 'exited' ? `exit code ${ran.code}` : ran.outcome;
  const said = ran.stderr.trim().split('\n')[0]?.slice(0, 200);
  return new StepFailed(code, said ? `${what}: ${how}: ${said}` : `${what}: ${how}`);
}
