// cli/complete/shells.ts: which arguments does each shell pass, and in which form does it expect the reply? Pure.
// The first line of a reply says what follows: `values`, `parts` (no blank after them), `files` or `folders`.
import { printable } from '../output/table.ts';
import { type Quote, quotedFor, readBashLine } from './bash-words.ts';
import type { CompletionCandidate } from './command-syntax.ts';

/** kubectl asks its plugins itself, and passes the reply to the shell that it runs in. */
export const SHELLS = ['bash', 'zsh', 'fish', 'kubectl'] as const;
export type Shell = (typeof SHELLS)[number];

export interface CompletionRequest {
  shell: Shell;
  words: readonly string[];
  current: string;
  /** Only bash sets this and the two fields below. */
  quote: Quote;
  kept: number;
  isRedirected: boolean;
}

export interface CompletionReply {
  wanted: 'values' | 'files' | 'folders';
  candidates: readonly CompletionCandidate[];
  /** `--format=` before the value. */
  prefix: string;
}

/** `bash LINE TEXT -- PROGRAM PIECE…`, or `zsh -- WORD… CURRENT`, the same for fish and kubectl; undefined for anything else. */
export function parseCompletionRequest(argv: readonly string[]): CompletionRequest | undefined {
  const shell = SHELLS.find((name) => name === argv[0]);
  const at = argv.indexOf('--', shell === 'bash' ? 3 : 1);
  if (!shell || at < 0) return undefined;
  const words = argv.slice(at + 1);
  if (shell === 'bash') return { shell, ...readBashLine(words, argv[1] ?? '', argv[2] ?? '') };
  return { shell, words: words.slice(0, -1), current: words.at(-1) ?? '', quote: '', kept: 0, isRedirected: false };
}

export function renderCompletionReply(
  { wanted, candidates, prefix }: CompletionReply,
  request: CompletionRequest,
): string {
  const usable = candidates.filter(({ value }) => value !== '' && printable(value) === value);
  const shown = [...new Map(usable.map((candidate) => [candidate.value, candidate])).values()];
  const what = wanted === 'values' && shown.some(({ isPart }) => isPart) ? 'parts' : wanted;
  const lines = shown.flatMap((candidate) => renderCandidate(candidate, prefix, request));
  if (request.shell === 'kubectl') return [...lines, `:${DIRECTIVES[what]}`].map((line) => `${line}\n`).join('');
  return [request.shell === 'zsh' ? `${what} ${prefix.length}` : what, ...lines].map((line) => `${line}\n`).join('');
}

/** Of the library that kubectl completes with: ShellCompDirective NoFileComp is 4, NoSpace 2, FilterDirs 16. */
const DIRECTIVES = { values: 4, parts: 6, files: 0, folders: 16 } as const;

function renderCandidate(
  { value, summary = '' }: CompletionCandidate,
  prefix: string,
  request: CompletionRequest,
): string[] {
  const about = printable(summary).replace(/\s+/g, ' ').trim();
  switch (request.shell) {
    // bash inserts the words unchanged: it neither filters nor quotes them.
    case 'bash': {
      const word = `${prefix}${value}`;
      return word.startsWith(request.current) ? [quotedFor(word.slice(request.kept), request.quote)] : [];
    }
    // _describe splits at the first colon that has no backslash.
    case 'zsh':
      return [`${value.replace(/[\\:]/g, '\\$&')}${about && `:${about}`}`];
    case 'fish':
    case 'kubectl':
      return [`${prefix}${value}${about && `\t${about}`}`];
  }
}
