// node/status/log.ts: what does the daemon write into the journal? One line for each thing that happened, with its priority in front where
// the journal listens, and what a program would look for as `key=value` behind it.

export type Priority = 'error' | 'warning' | 'info' | 'debug';
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = (priority: Priority, message: string, fields?: Fields) => void;

/** As syslog numbers them. */
const LEVEL: Readonly<Record<Priority, number>> = { error: 3, warning: 4, info: 6, debug: 7 };

export interface LogDeps {
  write(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
}

/** systemd says with JOURNAL_STREAM that the journal is on the other side; a person wants no numbers. */
export function journalLog({ write, env }: LogDeps): Log {
  const isJournal = env.JOURNAL_STREAM !== undefined;
  return (priority, message, fields = {}) => {
    if (priority === 'debug' && !isJournal) return;
    write(`${isJournal ? `<${LEVEL[priority]}>` : ''}${renderLine(message, fields)}\n`);
  };
}

/** `about` says what is the same thing. */
export type LogOnChange = (about: string, ...line: Parameters<Log>) => void;

/** What is tried again and again, and ends in the same way, is told once. */
export function withoutRepeats(log: Log): LogOnChange {
  const told = new Map<string, string>();
  return (about, ...line) => {
    const text = JSON.stringify(line);
    if (told.get(about) !== text) log(...line);
    told.set(about, text);
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
