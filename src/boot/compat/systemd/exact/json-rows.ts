// boot/compat/systemd/exact/json-rows.ts: how does systemd-analyze print a table as JSON?

export type JsonForm = 'short' | 'pretty';

/** One line, or indented with tabs and a blank before each colon. */
export function jsonRows(rows: readonly Readonly<Record<string, string | number>>[], form: JsonForm): string {
  if (form === 'short') return `${JSON.stringify(rows)}\n`;
  return `${JSON.stringify(rows, null, '\t').replace(/^(\t\t"\w+"):/gm, '$1 :')}\n`;
}
