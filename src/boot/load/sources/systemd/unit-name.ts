// boot/load/sources/systemd/unit-name.ts: what does a unit's name look like in text?

/** Every kind of unit there is or was. */
export const UNIT_SUFFIX =
  '(?:service|socket|target|device|mount|automount|swap|timer|path|slice|scope|busname|snapshot)';
export const NAME_CHARS = 'A-Za-z0-9:_.@\\\\-';

/** Whatever is not a control character or a blank: a name that could harm a terminal or split a list is not one. */
export function isName(text: string): boolean {
  return /^[^\s\u0000-\u001f\u007f-\u009f]{1,300}$/.test(text);
}
