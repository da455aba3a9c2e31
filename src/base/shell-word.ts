// base/shell-word.ts: how is a word written in a command that a person is to paste into a shell?

/** As it is where that is safe, in single quotes otherwise. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith('~') ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
