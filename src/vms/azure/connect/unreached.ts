// vms/azure/connect/unreached.ts: no response from Azure or its login service: why, is a retry useful, and which setting should the user check?
import { TransientError, UserError } from '../../../base/errors.ts';
import {
  certificateAdvice,
  isAboutCertificate,
  looksPermanent,
  type NetworkFailure,
  networkFailure,
} from '../../../base/network-failure.ts';

export interface UnreachedDetails {
  service: 'management' | 'login';
  /** `https://management.azure.com`, without path and query. */
  address: string;
  /** The setting that the address came from; absent when it follows from the cloud's name. */
  setBy?: string | undefined;
  failure: NetworkFailure;
  /** Whether Azure has responded to this process before: then the settings are right, and the failure may be temporary. */
  hasAnswered: boolean;
}

/** Does not contain the request, which may hold custom data. */
export class Unreached extends Error {
  readonly facts: UnreachedDetails;

  constructor(facts: UnreachedDetails) {
    super(`${facts.address} ${facts.failure.reason}`);
    this.name = 'Unreached';
    this.facts = facts;
  }
}

/** How many retries: none, one, or the usual number. */
export type Patience = 'none' | 'short' | 'usual';

export function patienceWith({ failure, hasAnswered }: UnreachedDetails): Patience {
  if (hasAnswered) return 'usual'; // a run must not give up while its donor is out of service
  if (isAboutCertificate(failure)) return 'none';
  return looksPermanent(failure) ? 'short' : 'usual';
}

/** The SDK's network errors have a code; our own timeout has none. */
export function networkFailureOf(thrown: Error, timeoutMs: number): NetworkFailure {
  const failure = networkFailure(thrown);
  if (failure) return failure;
  const reason = thrown.name === 'AbortError' ? `within ${timeoutMs / 1000} s` : '(the connection failed)';
  return { kind: 'interrupted', code: 'timeout', reason: `did not answer ${reason}` };
}

export function unreachable(facts: UnreachedDetails, what: string): Error {
  const { address, failure, hasAnswered } = facts;
  const message = `${what}: ${address} (${SERVICES[facts.service].name}) ${failure.reason}`;
  if (!isAboutCertificate(failure))
    return new TransientError(message, { code: 'vms/unreachable', next: addressAdvice(facts) });
  const next = certificateAdvice(failure, 'set NODE_EXTRA_CA_CERTS=FILE, a PEM file with the authority that signed it');
  if (hasAnswered) return new TransientError(message, { code: 'vms/unreachable', next });
  return new UserError(message, { code: 'vms/untrusted', kept: 'Nothing was sent.', next, exitCode: 1 });
}

const SERVICES = {
  management: { name: "Azure's management endpoint", settings: '--azure-endpoint or HEADSTART_AZURE_ENDPOINT' },
  login: { name: "Azure's login service", settings: 'AZURE_AUTHORITY_HOST' },
} as const;

function addressAdvice({ service, setBy }: UnreachedDetails): string {
  const proxy = 'behind a proxy, check HTTPS_PROXY and NO_PROXY';
  if (setBy !== undefined) return `check the address in ${setBy}, and that its server runs; ${proxy}`;
  return `check the network of this machine; ${proxy}; set another address with ${SERVICES[service].settings}`;
}
