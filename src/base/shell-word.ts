// base/shell-word.ts: how is a word quoted in a command that a user pastes into a shell?

/** Single quotes only where required. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith('~') ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
