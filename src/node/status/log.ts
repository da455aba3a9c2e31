// node/status/log.ts: what does the daemon write to the journal? One line for each event, with a priority prefix under
// systemd and with fields for programs as `key=value`.

export type Priority = 'error' | 'warning' | 'info' | 'debug';
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = (priority: Priority, message: string, fields?: Fields) => void;

/** Syslog levels. */
const LEVEL: Readonly<Record<Priority, number>> = { error: 3, warning: 4, info: 6, debug: 7 };

export interface LogDeps {
  write(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
}

/** systemd sets JOURNAL_STREAM when the output goes to the journal; on a terminal a line has no prefix. */
export function journalLog({ write, env }: LogDeps): Log {
  const isJournal = env.JOURNAL_STREAM !== undefined;
  return (priority, message, fields = {}) => {
    if (priority === 'debug' && !isJournal) return;
    write(`${isJournal ? `<${LEVEL[priority]}>` : ''}${renderLine(message, fields)}\n`);
  };
}

/** `about` is the key under which lines are compared. */
export type LogOnChange = (about: string, ...line: Parameters<Log>) => void;

/** Logs retries with the same result only once. */
export function withoutRepeats(log: Log): LogOnChange {
  const logged = new Map<string, string>();
  return (about, ...line) => {
    const text = JSON.stringify(line);
    if (logged.get(about) !== text) log(...line);
    logged.set(about, text);
  };
}

function renderLine(message: string, fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${quoted(value)}`],
  );
  return [message, ...pairs].join(' ').replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}

function quoted(value: string | number | boolean): string {
  const text = String(value);
  return /^[\w./:@+-]+$/.test(text) ? text : JSON.stringify(text);
}
