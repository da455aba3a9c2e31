// boot/collect/redact/line.ts: which part of a line of text is a secret? When in doubt, redacts too much.

export const REDACTED = '[redacted]';

export type RedactLine = (line: string) => string;

/** Call it with lines in order: a key file or an indented block spans several lines. */
export function createLineRedactor(): RedactLine {
  const redactKeyFile = createKeyFileRedactor();
  const redactBlock = createBlockRedactor();
  return (line) => redactUntilStable(redactBlock(redactKeyFile(line)));
}

const MAX_KEY_FILE_LINES = 400;

/** PEM: from BEGIN to END, with any prefix on the lines between. Without an END it stops after a fixed number of lines. */
function createKeyFileRedactor(): RedactLine {
  let linesLeft = 0;
  return (line) => {
    if (linesLeft === 0 && !line.includes('-----BEGIN ')) return line;
    let out = '';
    let at = 0;
    const keep = (piece: string) => {
      if (linesLeft === 0) out += piece;
      else if (at === 0) out += withoutTail(piece);
    };
    for (const marker of line.matchAll(/-----(BEGIN|END) [^-]*-----/g)) {
      keep(line.slice(at, marker.index));
      if (marker[1] === 'BEGIN') {
        if (linesLeft === 0) out += REDACTED;
        linesLeft = MAX_KEY_FILE_LINES;
      } else if (linesLeft > 0) linesLeft = 0;
      else out += marker[0];
      at = marker.index + marker[0].length;
    }
    keep(line.slice(at));
    if (linesLeft > 0) linesLeft--;
    return out;
  };
}

/** Redacts the last run of base64; the text before it (a stamp, a host) is not part of the key. */
function withoutTail(line: string): string {
  const end = line.trimEnd();
  let start = end.length;
  while (start > 0 && /[A-Za-z0-9+/=\\]/.test(end[start - 1]!)) start--;
  return start === end.length ? line : end.slice(0, start) + REDACTED;
}

const KEY = String.raw`(?:passw(?:or)?d|passphrase|(?<![a-z])pwd|secret|token|(?:api|account|access|private)[-_]?key|key[-_]?data|sharedaccesssignature|connection[-_]?string|(?<![a-z])sig|(?:custom|user|vendor)[-_]?data|protected[-_]?settings|authorization|credentials?)(?:\\*["'])?`;
/** An already redacted value, or a cloud-init stage whose name ends like a key: `consume-user-data: SUCCESS: …`. */
const NOT_A_SECRET = String.raw`(?!\\*["']?\[redacted)(?!(?:SUCCESS|WARN|FAIL):|(?:reading and applying|running config-\w)[^:=]*$)`;

/** YAML: `chpasswd:` or `password: |` with the secret on the deeper lines below. */
const BLOCK = new RegExp(String.raw`(?:${KEY}|chpasswd["']?)\s*:\s*[|>]?[-+]?\s*$`, 'i');

function createBlockRedactor(): RedactLine {
  let blockIndent: number | undefined;
  return (line) => {
    const indent = line.length - line.trimStart().length;
    if (blockIndent !== undefined) {
      if (line.trim() === '') return line;
      if (indent > blockIndent) return line.slice(0, indent) + REDACTED;
      blockIndent = undefined;
    }
    if (BLOCK.test(line)) blockIndent = indent;
    return line;
  };
}

/** The first group of each pattern is kept. */
const PATTERNS: readonly RegExp[] = [
  // key="value", with or without the quotes being escaped
  new RegExp(String.raw`(${KEY}\s*[:=]\s*(\\*["']))(?!\[redacted).{0,8192}?(?=\2(?:[\s,;&}\])\\]|$))`, 'gis'),
  // key: value and key = value extend to the end of the line: a pass phrase has blanks
  new RegExp(String.raw`(${KEY}(?:\s*:|\s+=)\s*)${NOT_A_SECRET}\S.*$`, 'is'),
  new RegExp(String.raw`(${KEY}=\s*)${NOT_A_SECRET}\S+`, 'gi'),
  /((?<![\w-])--?[\w-]{0,64}(?:token|password|secret|passphrase|key-data)\s+)(?!\[redacted|-)\S+/gi,
  /(bearer\s+)(?!\[redacted)\S+/gi,
  /(<[\w:.-]{0,64}(?:password|customdata|userdata|secret|token|privatekey)\w{0,32}(?:\s[^<>]{0,256})?>)(?!\[redacted)[^<]+/gi,
  /(:\/\/)[^\s/@:]*:[^\s/@]+(?=@)/g,
  // a JSON web token, complete or truncated
  /()eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,4}/g,
  // a bootstrap token. systemd writes a disk's EUI as `\x2deui.0025388b710116a1`: part of a unit name that must stay
  /()(?!(?<=\\)x2d)[a-z0-9]{6}\.[a-z0-9]{16}/g,
  // the body of an SSH public key
  /()AAAA[A-Za-z0-9+/]{16,}={0,3}/g,
  // a crypt(3) hash
  /()\$(?:[1567y]|2[aby]|gy)\$[./A-Za-z0-9$=,]{8,}/g,
  /()[A-Za-z0-9+/_-]{200,}={0,2}/g,
  // base64 wrapped into lines
  /^(\s*)[A-Za-z0-9+/]{60,}={0,2}(?=\s*$)/g,
];

/** A cheap necessary condition for all patterns above, which rules out most fields of a journal. */
export function mayHoldSecret(text: string): boolean {
  return /[:=\s<$]|eyJ|AAAA|\.[a-z0-9]{16}|[A-Za-z0-9+/_-]{60}/.test(text);
}

/** Removing one secret may join two parts of a line into another match. */
function redactUntilStable(line: string): string {
  if (!mayHoldSecret(line)) return line;
  let current = line;
  for (let pass = 0; pass < 8; pass++) {
    let next = redactChpasswd(current);
    for (const pattern of PATTERNS) next = next.replace(pattern, (_all, kept: string) => kept + REDACTED);
    if (next === current) return current;
    current = next;
  }
  return current;
}

/** `echo user:password | chpasswd`, and the text after `chpasswd` if it contains a pair. */
function redactChpasswd(line: string): string {
  const at = line.search(/chpasswd/i);
  if (at < 0) return line;
  const word = line.slice(at, at + 8);
  const after = line.slice(at + 8);
  const feeder = /\b(?:echo|printf)\b/.exec(line.slice(0, at));
  const before = feeder ? `${line.slice(0, feeder.index)}${feeder[0]} ${REDACTED} | ` : line.slice(0, at);
  return `${before}${word}${/<|\S:\S/.test(after) ? ` ${REDACTED}` : after}`;
}
