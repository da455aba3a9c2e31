// cli/called-as.ts: by which name was the program started, and what does its user type? Pure. kubectl starts a plugin by the
// name of its file, so one program with two links is `headstart` and `kubectl headstart`.

/** The names of the files that kubectl looks for. */
const PLUGIN = 'kubectl-headstart';
const PLUGIN_COMPLETION = 'kubectl_complete-headstart';

export type CalledAs = typeof PLUGIN | typeof PLUGIN_COMPLETION;

/** What the user types to start the program. */
export type ProgramName = 'headstart' | 'kubectl headstart';

/** `started`: paths and titles of the process. The launcher sets the title, because Node.js runs another file than it. */
export function calledAs(...started: readonly (string | undefined)[]): CalledAs | undefined {
  const names = started.map((path = '') => path.slice(path.lastIndexOf('/') + 1));
  return ([PLUGIN, PLUGIN_COMPLETION] as const).find((name) => names.includes(name));
}

export function programName(called: CalledAs | undefined): ProgramName {
  return called === undefined ? 'headstart' : 'kubectl headstart';
}

/** kubectl passes the words after the plugin's name to the completion program, the one under the cursor last. */
export function argvOf(given: readonly string[], called: CalledAs | undefined): string[] {
  return called === PLUGIN_COMPLETION ? ['__complete', 'kubectl', '--', ...given] : [...given];
}

/** `paths`: every group and verb. Prose such as `a headstart image` stays, and so do commands for another machine. */
export function asTyped(text: string, name: ProgramName, paths: readonly string[]): string {
  if (name === 'headstart' || !text.includes('headstart ')) return text;
  return text.replace(COMMAND, (whole, quote: string, words: string, at: number) => {
    const isAlone = quote === '`' || at === 0 || text.startsWith(' -', at + whole.length);
    const isCommand = words.startsWith('-') || paths.some((path) => isCallOf(path, words, isAlone));
    return isCommand ? `${quote}${name} ${words}` : whole;
  });
}

const COMMAND = /(?<![\w./-]|kubectl |ssh \S+ )(`?)headstart (-{1,2}[a-z]+|[a-z][a-z-]*(?: [a-z][a-z-]*){0,2})/g;

/** One word may be prose, `a headstart image`. It is a command in quotes, at the start of a text and before an option. */
function isCallOf(path: string, words: string, isAlone: boolean): boolean {
  return `${words} `.startsWith(`${path} `) && (path.includes(' ') || isAlone);
}
