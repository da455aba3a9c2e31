// base/call-options.ts: how does a caller stop a long operation, and how does it learn what the operation waits for?

/** `percent`: how much of it is done, where that is known. */
export type WaitReporter = (what: string, percent?: number) => void;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Told while an operation runs: what is awaited. */
  onWaiting?: WaitReporter | undefined;
}
