// base/trace.ts: which requests does headstart send to Azure, Kubernetes and other programs? `--verbose` prints them.
import { channel } from 'node:diagnostics_channel';

export interface TraceLine {
  /** `azure`, `kubernetes`, `run` (a program on this machine), `qemu`, `guest` (the agent in a VM) or `http`. */
  to: string;
  text: string;
}

// A diagnostics channel, so that functions need no logger parameter. Without a listener it costs nothing.
const lines = channel('headstart:trace');

export function isTraced(): boolean {
  return lines.hasSubscribers;
}

/** Masks secrets of known forms before a listener sees the text. */
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
  // A shared access signature, and any query parameter or setting named like a secret.
  [
    /((?:^|[?&;\s"'({,=])(?:sig|[\w.-]*(?:token|secret|password|passwd|passphrase|(?:api|account|access|private)[-_]?key|key-data|assertion))["']?\s*[=:]\s*)(?:"[^"]*"?|'[^']*'?|[^&;\s"',}]+)/gi,
    '$1***',
  ],
  // A password argument of openssl.
  [/\bpass:[^\s"']+/g, 'pass:***'],
  // A JSON web token: it begins with `{"` in base64.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '***'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '*** (a private key)'],
  [/(\/\/[^/\s:@]+:)[^/\s]+@/g, '$1***@'],
  // A Kubernetes bootstrap token: the id is public, the secret is not.
  [/\b([a-z0-9]{6})\.[a-z0-9]{16}\b/g, '$1.***'],
];

export function masked(text: string): string {
  return SECRETS.reduce((rest, [secret, shown]) => rest.replace(secret, shown), text);
}
