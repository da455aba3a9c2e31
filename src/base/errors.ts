// base/errors.ts: which of three kinds of failure is this, and what should the reader do next?

export interface ErrorDetails {
  /** Stable, `area/what`: scripts match on it, so it is never renamed. */
  code: string;
  /** What was left unchanged, in one sentence. */
  kept?: string;
  /** The next command to type, or the next thing to do. */
  next?: string;
  /** 2 = bad usage or config, nothing touched (default) · 1 = failed · 4 = stopped part-way, resumable. */
  exitCode?: 1 | 2 | 4;
  cause?: unknown;
}

/** The user can fix it: shown without a stack. */
export class UserError extends Error {
  readonly code: string;
  readonly kept: string | undefined;
  readonly next: string | undefined;
  readonly exitCode: number;

  constructor(message: string, details: ErrorDetails) {
    super(message, { cause: details.cause });
    this.name = 'UserError';
    this.code = details.code;
    this.kept = details.kept;
    this.next = details.next;
    this.exitCode = details.exitCode ?? 2;
  }
}

/** May pass if tried again: the engine retries with backoff and reports the last one. */
export class TransientError extends Error {
  readonly code: string;
  readonly next: string | undefined;

  constructor(message: string, details: Pick<ErrorDetails, 'code' | 'cause' | 'next'>) {
    super(message, { cause: details.cause });
    this.name = 'TransientError';
    this.code = details.code;
    this.next = details.next;
  }
}

/** Ctrl-C, a closed terminal or SIGTERM: the reason that the aborted signal of a verb carries. */
export class Interrupted extends UserError {
  constructor(signal: string) {
    super(`interrupted (${signal})`, { code: 'cli/interrupted', next: 'run the same command again', exitCode: 4 });
    this.name = 'Interrupted';
  }
}

/** The text a person sees on stderr. Anything that is neither kind is a bug and keeps its stack. */
export function renderError(error: unknown): string {
  if (error instanceof UserError || error instanceof TransientError) {
    const lines = [
      `error: ${error.message}`,
      'kept' in error && error.kept && `       ${error.kept}`,
      error.next && `next:  ${error.next}`,
      `code:  ${error.code}`,
    ];
    return withoutControls(lines.filter(Boolean).join('\n'));
  }
  return `bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

export interface ErrorFacts {
  code: string;
  message: string;
  kept?: string;
  next?: string;
  exitCode: number;
}

/** The same as fields, for programs. A bug is named, but its stack is for people. */
export function errorFacts(error: unknown): ErrorFacts {
  const exitCode = exitCodeOf(error);
  if (error instanceof UserError || error instanceof TransientError) {
    const { code, message, next } = error;
    const kept = 'kept' in error ? error.kept : undefined;
    return { code, message, ...(kept !== undefined && { kept }), ...(next !== undefined && { next }), exitCode };
  }
  return { code: 'cli/bug', message: error instanceof Error ? error.message : String(error), exitCode };
}

/** A message quotes file names, programs and servers; what they say must not steer the reader's terminal. */
function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UserError) return error.exitCode;
  return error instanceof TransientError ? 1 : 70;
}
