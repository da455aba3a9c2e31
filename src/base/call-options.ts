// base/call-options.ts: how does a caller stop a long operation, and how does it see what the operation waits for?

/** `percent`: progress, if known. */
export type WaitReporter = (what: string, percent?: number) => void;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  onWaiting?: WaitReporter | undefined;
}
