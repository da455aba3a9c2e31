// base/trace.ts: what does the program ask of Azure, Kubernetes and other programs? `--verbose` shows it.
import { channel } from 'node:diagnostics_channel';

export interface TraceLine {
  /** Who was asked: `azure`, `kubernetes`, `run` (a program on this machine), `qemu`, `guest` (the agent in a VM), `http`. */
  to: string;
  text: string;
}

// Published where the call is made, so that no function has to pass a logger down. Without a listener it costs nothing.
const lines = channel('headstart:trace');

export function isTraced(): boolean {
  return lines.hasSubscribers;
}

/** The text is masked here: a listener never sees a secret that has a known form. */
export function trace(to: string, text: string): void {
  if (lines.hasSubscribers) lines.publish({ to, text: masked(text) } satisfies TraceLine);
}

/** Returns the function that stops listening. */
export function onTrace(listener: (line: TraceLine) => void): () => void {
  const receive = (message: unknown) => listener(message as TraceLine);
  lines.subscribe(receive);
  return () => lines.unsubscribe(receive);
}

const SECRETS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic|Authorization: *token)\s+[\w.~+/=-]+/gi, '$1 ***'],
  // A shared access signature, and any query parameter or setting whose name says what it is.
  [
    /((?:^|[?&;\s"'({,=])(?:sig|[\w.-]*(?:token|secret|password|passwd|passphrase|(?:api|account|access|private)[-_]?key|key-data|assertion))["']?\s*[=:]\s*)(?:"[^"]*"?|'[^']*'?|[^&;\s"',}]+)/gi,
    '$1***',
  ],
  // openssl's way to give a password.
  [/\bpass:[^\s"']+/g, 'pass:***'],
  // A token that is a signed document says so by its first letters (`{"` in base64), wherever it stands.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '***'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '*** (a private key)'],
  [/(\/\/[^/\s:@]+:)[^/\s]+@/g, '$1***@'],
  // A bootstrap token of Kubernetes: its id is public, its secret is not.
  [/\b([a-z0-9]{6})\.[a-z0-9]{16}\b/g, '$1.***'],
];

export function masked(text: string): string {
  return SECRETS.reduce((rest, [secret, shown]) => rest.replace(secret, shown), text);
}
