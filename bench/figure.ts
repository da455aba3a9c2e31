// bench/figure.ts: what is one figure of the bench, and in which folder does a part work?

export interface Figure {
  name: string;
  goal: string;
  met: boolean;
  said: string;
  /** What was measured, for out/bench.json. */
  measured: object;
}

export interface Bench {
  root: string;
  /** The launcher of this tree. */
  headstart: string;
  /** Scratch, removed at the end. */
  folder: string;
  progress(what: string): void;
  /** Ctrl-C ends a bench at once, unless its part has VMs to put away first. */
  interruptible(): AbortSignal;
}

/** One file per part: `make bench PARTS=NAME` runs it alone. */
export type Part = (bench: Bench) => Promise<Figure[]>;
