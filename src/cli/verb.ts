// cli/verb.ts: what does a verb consist of? Its options, and what it does with them.
import type { Command } from 'commander';
import type { CalledAs } from './called-as.ts';

/** A verb's access to the outside world. bin.ts passes the real one, tests pass a fake. */
export interface CliDeps {
  stdout(text: string): void;
  stderr(text: string): void;
  readStdin(): Uint8Array;
  /** The same piece by piece, for large inputs. Calls `onWait` if nothing comes for a while. */
  stdinChunks?(onWait: () => void): Iterable<Uint8Array>;
  /** Standard input if it is a file with content or a pipe that sends something soon; 'silent' for another pipe. */
  sentStdin?(onWait: () => void): Iterable<Uint8Array> | 'silent' | undefined;
  env: Readonly<Record<string, string | undefined>>;
  isTerminal: { stdout: boolean; stderr: boolean };
  /** The width of the terminal, if known. Verbs call `screenOf` in output/screen.ts instead. */
  columnsOf?(stream: 'stdout' | 'stderr'): number | undefined;
  /** µs since 1970. */
  nowUs(): number;
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. Before the first call these signals end the process at once; after it, the verb must end. */
  signal(): AbortSignal;
  /** Aborted by a second signal. A verb that cleans up after the first one then stops the cleanup. */
  secondSignal?(): AbortSignal;
  /** The exit code of the process after a signal; undefined when none came. */
  signalExitCode?(): number | undefined;
  /** Standard input is a pipe or a non-empty file. Reads nothing. */
  isStdinGiven?(): boolean;
  /** For a daemon: after this call SIGHUP calls the listener instead of interrupting the verb. */
  onHangUp?(listener: () => void): void;
  /** Set when kubectl started the program as its plugin. */
  calledAs?: CalledAs | undefined;
  /** Adapts the commands in an answer to the name by which the program was called. Errors and help are adapted already. */
  named?(text: string): string;
  /** The words of the command line, for hints that repeat it with one change. */
  typed?: readonly string[];
}

export interface Verb {
  /** At least two, without the program's name. */
  examples: string[];
  /** Printed below the options in the help, such as exit codes. */
  notes?: string;
  configure(command: Command): void;
  /** Returns the exit code; undefined means 0. */
  // biome-ignore lint/suspicious/noExplicitAny: commander gives options as it parsed them; each verb names their shape
  // biome-ignore lint/suspicious/noConfusingVoidType: a verb that has nothing to say about its exit code returns nothing
  run(args: string[], options: any, deps: CliDeps): Promise<number | void> | number | void;
}
