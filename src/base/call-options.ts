// base/call-options.ts: how does a caller stop a long operation, see what it waits for, and limit when it is sent?

/** `percent`: progress, if known. */
export type WaitReporter = (what: string, percent?: number) => void;

/** How long a change may still be sent. A client asks right before each request: a delay may have used the time up. */
export interface Fence {
  /** 0 or less: not any more. */
  leftMs(): number;
}

export interface CallOptions {
  /** Ends waits and reads. A change that is on its way is not aborted: whether it took effect would be unknown. */
  signal?: AbortSignal | undefined;
  onWaiting?: WaitReporter | undefined;
  /** For changes: a client that would have to wait beyond the fence throws `Throttled` or `TooLate` instead. */
  fence?: Fence | undefined;
}
