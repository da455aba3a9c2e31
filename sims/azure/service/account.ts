// sims/azure/service/account.ts: which tenant, subscription, regions and resource groups does a client see before it asks for machines?
import type { SimWorld } from '../world.ts';
import { type Provider, servedVersions } from './api-versions.ts';
import { ArmError } from './arm-error.ts';
import type { ArmAnswer, ArmRequest } from './call.ts';
import type { JsonObject } from './json.ts';
import { findRoute, ROUTES } from './routes.ts';

type Answer = (world: SimWorld, name: string) => JsonObject;

/** `*` is a name, given to the answer. All of them are read only: the scenario decides what there is. */
const PATHS: readonly [string, Answer][] = [
  ['subscriptions', (world) => ({ value: [subscriptionBody(world)], count: { type: 'Total', value: 1 } })],
  ['subscriptions/{id}', subscriptionBody],
  ['subscriptions/{id}/locations', (world) => ({ value: regionsOf(world).map((name) => regionBody(world, name)) })],
  [
    'subscriptions/{id}/resourcegroups',
    (world) => ({ value: world.resourceGroups.map((one) => groupBody(world, one)) }),
  ],
  ['subscriptions/{id}/resourcegroups/*', oneGroup],
  ['subscriptions/{id}/providers/*', providerBody],
  ['tenants', (world) => ({ value: [tenantBody(world)] })],
];

/** Undefined: the request is about something else. */
export function answerAccount(
  world: SimWorld,
  { method, url }: Pick<ArmRequest, 'method' | 'url'>,
): ArmAnswer | undefined {
  if (method !== 'GET' || findRoute(method, url.pathname)) return undefined;
  const segments = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const found = PATHS.find(([path]) => matches(path.split('/'), segments));
  if (!found) return undefined;
  const [path, answer] = found;
  if (!/^\d{4}-\d\d-\d\d(-preview)?$/.test(url.searchParams.get('api-version') ?? '')) {
    throw new ArmError(
      400,
      'MissingApiVersionParameter',
      'The api-version query parameter (?api-version=) is required for all requests.',
    );
  }
  if (path.includes('{id}') && segments[1]?.toLowerCase() !== world.subscriptionId.toLowerCase()) {
    throw new ArmError(404, 'SubscriptionNotFound', `The subscription '${segments[1]}' could not be found.`);
  }
  return { status: 200, body: answer(world, segments.at(-1) ?? '') };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => part === '*' || part === '{id}' || part === segments[i]?.toLowerCase())
  );
}

function subscriptionBody({ subscriptionId, tenantId }: SimWorld): JsonObject {
  return {
    id: `/subscriptions/${subscriptionId}`,
    authorizationSource: 'RoleBased',
    managedByTenants: [],
    subscriptionId,
    tenantId,
    displayName: 'Simulated subscription',
    state: 'Enabled',
    subscriptionPolicies: {
      locationPlacementId: 'Public_2014-09-01',
      quotaId: 'PayAsYouGo_2014-09-01',
      spendingLimit: 'Off',
    },
  };
}

function tenantBody({ tenantId }: SimWorld): JsonObject {
  return {
    id: `/tenants/${tenantId}`,
    tenantId,
    countryCode: 'NL',
    displayName: 'Simulated tenant',
    domains: ['simulated.example'],
    tenantCategory: 'Home',
    defaultDomain: 'simulated.example',
    tenantType: 'AAD',
  };
}

function regionsOf(world: SimWorld): string[] {
  return [...new Set(world.resourceGroups.map(({ location }) => location))];
}

function regionBody({ subscriptionId }: SimWorld, name: string): JsonObject {
  return {
    id: `/subscriptions/${subscriptionId}/locations/${name}`,
    name,
    type: 'Region',
    displayName: name,
    regionalDisplayName: name,
    metadata: { regionType: 'Physical', regionCategory: 'Recommended' },
  };
}

function groupBody({ subscriptionId }: SimWorld, { name, location }: { name: string; location: string }): JsonObject {
  return {
    id: `/subscriptions/${subscriptionId}/resourceGroups/${name}`,
    name,
    type: 'Microsoft.Resources/resourceGroups',
    location,
    tags: {},
    properties: { provisioningState: 'Succeeded' },
  };
}

function oneGroup(world: SimWorld, name: string): JsonObject {
  const group = world.resourceGroups.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (group) return groupBody(world, group);
  throw new ArmError(404, 'ResourceGroupNotFound', `Resource group '${name}' could not be found.`);
}

/** What clients ask to learn api-versions and whether the provider is registered. */
function providerBody(world: SimWorld, namespace: string): JsonObject {
  const known = ['Microsoft.Compute', 'Microsoft.StandbyPool'].find(
    (one) => one.toLowerCase() === namespace.toLowerCase(),
  );
  if (known === undefined) {
    throw new ArmError(404, 'InvalidResourceNamespace', `The resource namespace '${namespace}' is invalid.`);
  }
  const types = new Set(
    ROUTES.flatMap(({ method, path }) =>
      method === 'PUT' && path.includes(`/${known}/`)
        ? [(path.split(`${known}/`)[1] ?? '').replace(/\/?\{\w+\}/g, '')]
        : [],
    ),
  );
  return {
    id: `/subscriptions/${world.subscriptionId}/providers/${known}`,
    namespace: known,
    registrationState: 'Registered',
    registrationPolicy: 'RegistrationRequired',
    resourceTypes: [...types].sort().map((resourceType) => ({
      resourceType,
      locations: regionsOf(world),
      apiVersions: versionsOf(resourceType),
      capabilities: 'None',
    })),
  };
}

function versionsOf(resourceType: string): string[] {
  const kinds: [RegExp, Provider][] = [
    [/^(disks|snapshots)/, 'disk'],
    [/^galleries/, 'gallery'],
    [/^standby/, 'standby'],
  ];
  const provider = kinds.find(([pattern]) => pattern.test(resourceType))?.[1] ?? 'compute';
  return servedVersions(provider).reverse();
}
