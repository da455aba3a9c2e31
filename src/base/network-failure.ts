// base/network-failure.ts: why did a connection fail, and what can the user do? Explains Node's error codes.

export type NetworkFailureKind =
  /** Signed by an authority that this machine does not trust. */
  | 'untrusted'
  | 'expired'
  | 'not-yet-valid'
  | 'wrong-name'
  /** Revoked, malformed, or not a server certificate. */
  | 'bad-certificate'
  /** The TLS handshake failed: the server does not use TLS, or no version that Node supports. */
  | 'no-tls'
  | 'unknown-host'
  | 'refused'
  | 'no-route'
  | 'interrupted';

export interface NetworkFailure {
  kind: NetworkFailureKind;
  /** Node's code: `ECONNREFUSED`. */
  code: string;
  /** Follows the name of the server: "refused the connection (ECONNREFUSED 127.0.0.1:6443)". */
  reason: string;
}

/** `thrown`: an exception of `fetch`, undici, the Azure SDK or `node:https`. Undefined if the network is not the reason. */
export function networkFailure(thrown: unknown): NetworkFailure | undefined {
  for (const error of causesOf(thrown)) {
    if (textField(error, 'path') !== undefined) return undefined; // a file or a program, not a connection
    const code = textField(error, 'code');
    const kind = code === undefined ? undefined : kindOf(code);
    if (code !== undefined && kind !== undefined) return { kind, code, reason: reasonOf(kind, code, error) };
  }
  return undefined;
}

const CERTIFICATE_KINDS: ReadonlySet<NetworkFailureKind> = new Set([
  'untrusted',
  'expired',
  'not-yet-valid',
  'wrong-name',
  'bad-certificate',
]);

/** A retry does not help: it gets the same certificate. */
export function isAboutCertificate({ kind }: NetworkFailure): boolean {
  return CERTIFICATE_KINDS.has(kind);
}

/** Also true for a correct address while the server or the network is down. */
export function looksPermanent({ kind }: NetworkFailure): boolean {
  return kind !== 'interrupted';
}

/** `trust`: how to make this client trust an authority. */
export function certificateAdvice({ kind }: NetworkFailure, trust: string): string {
  switch (kind) {
    case 'expired':
      return "compare this machine's clock (`date`) with the certificate's dates; if the clock is right, the server needs a new certificate";
    case 'not-yet-valid':
      return "correct this machine's clock (`date`), or wait until the certificate is valid";
    case 'wrong-name':
      return 'use a name in the certificate, or install a certificate for this name on the server; a proxy that intercepts TLS can also be the reason';
    case 'untrusted':
      return `${trust}; the usual reason is a proxy that intercepts TLS: then trust the proxy's authority`;
    default:
      return 'install a valid server certificate on the server; a proxy that intercepts TLS can also be the reason';
  }
}

const KINDS: Readonly<Record<string, NetworkFailureKind>> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  CERT_UNTRUSTED: 'untrusted',
  INVALID_CA: 'untrusted',
  CERT_CHAIN_TOO_LONG: 'untrusted',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong-name',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'wrong-name',
  HOSTNAME_MISMATCH: 'wrong-name',
  INVALID_PURPOSE: 'bad-certificate',
  PATH_LENGTH_EXCEEDED: 'bad-certificate',
  EPROTO: 'no-tls',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  EAI_NODATA: 'unknown-host',
  EAI_NONAME: 'unknown-host',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  EADDRNOTAVAIL: 'no-route',
  EHOSTDOWN: 'no-route',
  ENETDOWN: 'no-route',
};

/** Undefined for wrong arguments (`ERR_INVALID_ARG_TYPE`), which are bugs. */
function kindOf(code: string): NetworkFailureKind | undefined {
  const known = Object.hasOwn(KINDS, code) ? KINDS[code] : undefined;
  if (known) return known;
  if (/^(CERT_|CRL_|UNABLE_TO_|ERROR_IN_CERT_|ERR_TLS_CERT)/.test(code)) return 'bad-certificate';
  if (/^ERR_(SSL|TLS)_/.test(code)) return 'no-tls';
  return /^E(AI_)?[A-Z0-9]+$|^UND_ERR_/.test(code) ? 'interrupted' : undefined;
}

function reasonOf(kind: NetworkFailureKind, code: string, error: object): string {
  const port = Reflect.get(error, 'port');
  const address = textField(error, 'address');
  const at = address === undefined ? connectedTo(textField(error, 'message') ?? '') : ` ${address}:${port}`;
  switch (kind) {
    case 'untrusted':
      return `has a certificate that this machine does not trust (${code})`;
    case 'expired':
      return `has a certificate that has expired (${code})`;
    case 'not-yet-valid':
      return `has a certificate that is not valid yet (${code})`;
    case 'wrong-name':
      return `has a certificate for another name (${code}${namesOf(error)})`;
    case 'bad-certificate':
      return `has an invalid certificate (${code})`;
    case 'no-tls':
      return `did not complete the TLS handshake (${code}): it may be an http server, or a proxy may be in between`;
    case 'unknown-host':
      return code === 'EAI_AGAIN'
        ? `could not be resolved: the DNS server does not respond (${code})`
        : `does not exist in DNS (${code})`;
    case 'refused':
      return `refused the connection (${code}${at})`;
    case 'no-route':
      return `cannot be reached from here (${code}${at})`;
    case 'interrupted':
      return `did not answer (${code})`;
  }
}

/** The Azure SDK keeps only the message of the system error: `connect ECONNREFUSED 127.0.0.1:3128`. */
function connectedTo(message: string): string {
  const address = /^connect E[A-Z]+ (\S+:\d+)/.exec(message)?.[1];
  return address === undefined ? '' : ` ${address}`;
}

const MOST_NAMES = 200;

/** Node puts the names into the `cert` field and into the message. Clients pass on one or the other. */
function namesOf(error: object): string {
  const certificate: unknown = Reflect.get(error, 'cert');
  const names =
    (typeof certificate === 'object' && certificate !== null && textField(certificate, 'subjectaltname')) ||
    / is not (?:in the cert's list|cert's CN): (.+)/.exec(textField(error, 'message') ?? '')?.[1];
  if (names === undefined) return '';
  return `: it is for ${names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES)} …` : names}`;
}

/** The error, its causes, and the errors of each address if several were tried. */
function* causesOf(thrown: unknown): Generator<object> {
  const seen = new Set<unknown>();
  const waiting = [thrown];
  while (waiting.length > 0 && seen.size < 50) {
    const error = waiting.shift();
    if (typeof error !== 'object' || error === null || seen.has(error)) continue;
    seen.add(error);
    yield error;
    const several = Reflect.get(error, 'errors');
    waiting.push(Reflect.get(error, 'cause'), ...(Array.isArray(several) ? several : []));
  }
}

function textField(value: object, key: string): string | undefined {
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
