// node/apply/failures.ts: what can go wrong while a change is made, which reason is reported for it, and is the document to blame?
import type { CommandResult } from '../../base/command.ts';
import type { ReasonCode } from '../reason-codes.ts';

/** Something the world did; anything else that is thrown is a bug. Says what was tried, never what was in it. */
export class StepFailed extends Error {
  readonly code: ReasonCode;

  constructor(code: ReasonCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StepFailed';
    this.code = code;
  }
}

/** The same document would fail again; without these, the same may work an hour later. */
const OF_THE_DOCUMENT: readonly ReasonCode[] = ['apply/command-failed', 'apply/setting-refused', 'verify/unit-failed'];

export function isDocumentToBlame(code: ReasonCode): boolean {
  if (code === 'verify/api-unreachable') return false; // an outage of the control plane looks the same from here
  return code.startsWith('verify/') || OF_THE_DOCUMENT.includes(code);
}

/** What the file system says; anything else as it is. */
export function asStepFailed(error: unknown, what: string): unknown {
  const code = errnoOf(error);
  if (code === undefined) return error;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new StepFailed(isFull ? 'apply/disk-full' : 'apply/write-failed', `${what}: ${code}`, error);
}

/** `ENOENT` and the like; undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

/** A program's own words, but one line of them, and only so much. */
export function commandFailed(code: ReasonCode, what: string, ran: CommandResult): StepFailed {
  const how = ran.outcome === 'exited' ? `exit code ${ran.code}` : ran.outcome;
  const said = ran.stderr.trim().split('\n')[0]?.slice(0, 200);
  return new StepFailed(code, said ? `${what}: ${how}: ${said}` : `${what}: ${how}`);
}
