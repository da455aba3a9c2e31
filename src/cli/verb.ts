// cli/verb.ts: what is a verb to the command line? Its options, and what it does with them.
import type { Command } from 'commander';

/** What the outside world is to a verb; main.ts passes the real one, tests their own. */
export interface CliDeps {
  stdout(text: string): void;
  stderr(text: string): void;
  readStdin(): Uint8Array;
  env: Readonly<Record<string, string | undefined>>;
  isTerminal: { stdout: boolean; stderr: boolean };
  /** How wide the terminal behind a stream is, if it tells; ask `screenOf` in output/screen.ts. */
  columnsOf?(stream: 'stdout' | 'stderr'): number | undefined;
  /** µs since 1970. */
  nowUs(): number;
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. Until it is asked for, those end the process at once; from then on the verb must. */
  signal(): AbortSignal;
  /** Aborted by the second of them, for a verb that puts things right when it is interrupted: that, too, is to end. */
  secondSignal?(): AbortSignal;
  /** The exit code of the process after a signal; undefined when none came. */
  signalExitCode?(): number | undefined;
  /** A pipe or a file is on standard input. Says nothing about data in it, and reads none. */
  isStdinGiven?(): boolean;
  /** For a verb that has no terminal to lose: from then on SIGHUP is no interrupt, but asks it to look again. */
  onHangUp?(listener: () => void): void;
  /** The words of the command line, for hints that repeat it with one change. */
  typed?: readonly string[];
}

export interface Verb {
  /** At least two, without the program's name. */
  examples: string[];
  /** What the help says below the options, such as exit codes. */
  notes?: string;
  configure(command: Command): void;
  /** The exit code; nothing = 0. */
  // biome-ignore lint/suspicious/noExplicitAny: commander gives options as it parsed them; each verb names their shape
  // biome-ignore lint/suspicious/noConfusingVoidType: a verb that has nothing to say about its exit code returns nothing
  run(args: string[], options: any, deps: CliDeps): Promise<number | void> | number | void;
}
