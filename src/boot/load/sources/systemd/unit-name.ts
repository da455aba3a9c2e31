// boot/load/sources/systemd/unit-name.ts: what does a unit name look like in text?

/** All unit types, obsolete ones included. */
export const UNIT_SUFFIX =
  '(?:service|socket|target|device|mount|automount|swap|timer|path|slice|scope|busname|snapshot)';
export const NAME_CHARS = 'A-Za-z0-9:_.@\\\\-';

/** Rejects control characters and blanks: they could corrupt a terminal or split a list of names. */
export function isName(text: string): boolean {
  return /^[^\s\u0000-\u001f\u007f-\u009f]{1,300}$/.test(text);
}
