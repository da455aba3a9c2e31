// base/errors.ts: what kind of failure is this, and what should the user do next?

export interface ErrorDetails {
  /** `area/what`. Never renamed, because scripts match on it. */
  code: string;
  /** What was left unchanged, in one sentence. */
  kept?: string;
  /** The next command to run, or what to do next. */
  next?: string;
  /** 2 = bad usage or config, nothing changed (default) · 1 = failed · 4 = stopped part-way, resumable. */
  exitCode?: 1 | 2 | 4;
  cause?: unknown;
}

/** The user can fix it: printed without a stack. */
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

/** A retry may succeed: the engine retries with backoff and reports the last error. */
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

/** The abort reason of a verb's signal after Ctrl-C, a closed terminal or SIGTERM. */
export class Interrupted extends UserError {
  constructor(signal: string) {
    super(`interrupted (${signal})`, { code: 'cli/interrupted', next: 'run the same command again', exitCode: 4 });
    this.name = 'Interrupted';
  }
}

/** The text for stderr. Any other exception is a bug and is printed with its stack. */
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

/** The same as fields for `--json`, without the stack of a bug. */
export function errorFacts(error: unknown): ErrorFacts {
  const exitCode = exitCodeOf(error);
  if (error instanceof UserError || error instanceof TransientError) {
    const { code, message, next } = error;
    const kept = 'kept' in error ? error.kept : undefined;
    return { code, message, ...(kept !== undefined && { kept }), ...(next !== undefined && { next }), exitCode };
  }
  return { code: 'cli/bug', message: error instanceof Error ? error.message : String(error), exitCode };
}

/** Messages quote file names, programs and servers, which must not send control sequences to the terminal. */
function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UserError) return error.exitCode;
  return error instanceof TransientError ? 1 : 70;
}
