// sims/azure/service/cloud-endpoints.ts: GET /metadata/endpoints: where does this cloud have its services? Clients of other clouds than the public one ask it first.
import type { ArmAnswer, ArmRequest } from './call.ts';
import type { JsonObject } from './json.ts';

interface Cloud {
  baseUrl: string;
  tenantId: string;
}

/** Needs no token. Undefined: the request is about something else. */
export function answerCloudEndpoints(
  { method, url }: Pick<ArmRequest, 'method' | 'url'>,
  cloud: Cloud,
): ArmAnswer | undefined {
  if (method !== 'GET' || url.pathname.toLowerCase().replace(/\/$/, '') !== '/metadata/endpoints') return undefined;
  const version = url.searchParams.get('api-version') ?? '';
  if (version >= '2022-09-01') return { status: 200, body: endpointsOf(cloud) };
  // A list of clouds, which is no object: listen.ts sends what JSON it is given.
  if (version >= '2019-05-01') return { status: 200, body: [endpointsOf(cloud)] as unknown as JsonObject };
  if (version >= '2015-01-01') return { status: 200, body: oldEndpointsOf(cloud) };
  const message = 'The api-version query parameter (?api-version=) is required for all requests.';
  return { status: 400, body: { error: { code: 'MissingApiVersionParameter', message } } };
}

/** What tokens are for. */
function audienceOf({ baseUrl }: Cloud): string {
  return `${baseUrl}/`;
}

function endpointsOf(cloud: Cloud): JsonObject {
  const { baseUrl, tenantId } = cloud;
  return {
    name: 'HeadstartSimulator',
    portal: baseUrl,
    authentication: {
      loginEndpoint: baseUrl,
      audiences: [audienceOf(cloud)],
      tenant: tenantId,
      identityProvider: 'AAD',
    },
    graph: baseUrl,
    graphAudience: baseUrl,
    microsoftGraphResourceId: baseUrl,
    gallery: baseUrl,
    resourceManager: baseUrl,
    // Nothing else is simulated; a client that asks one of these finds no such host.
    suffixes: { storage: 'simulated.invalid', keyVaultDns: 'vault.simulated.invalid' },
  };
}

function oldEndpointsOf(cloud: Cloud): JsonObject {
  const { baseUrl } = cloud;
  return {
    galleryEndpoint: baseUrl,
    graphEndpoint: baseUrl,
    portalEndpoint: baseUrl,
    authentication: { loginEndpoint: baseUrl, audiences: [audienceOf(cloud)] },
  };
}
