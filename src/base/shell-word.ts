// base/shell-word.ts: how does a person write this word on a command line? Quoted only where a shell would take it apart.

export function shellWord(text: string): string {
  return /^[\w/.,:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
