// base/shown-argv.ts: how is a command line printed? On one line, without secrets, and shortened.
import { shellWord } from './shell-word.ts';

const SECRET_NAME =
  /(?:token|secret|passw(?:or)?d|passphrase|passin|passout|api-?key|account-?key|access-?key|credential|sas)s?$/i;
const MOST_CHARACTERS = 300;

/** Hides the value of a flag or setting that is named like a secret: `--token VALUE`, `token=VALUE`. */
export function shownArgv(argv: readonly string[]): string {
  return argv.map((word, i) => shownWord(word, i === 0 ? '' : argv[i - 1]!)).join(' ');
}

function shownWord(word: string, before: string): string {
  if (before.startsWith('-') && SECRET_NAME.test(before) && !word.startsWith('--')) return '***';
  const at = word.indexOf('=');
  if (at > 0 && SECRET_NAME.test(word.slice(0, at))) return `${shellWord(word.slice(0, at))}=***`;
  return shellWord(shortened(word).replace(/\p{Cc}/gu, '\ufffd'));
}

/** Keeps only the first line of a script. */
function shortened(word: string): string {
  const line = word.trimStart().split('\n', 1)[0]!;
  const isWhole = line === word;
  if (isWhole && word.length <= MOST_CHARACTERS) return word;
  return `${line.slice(0, MOST_CHARACTERS)} …`;
}
