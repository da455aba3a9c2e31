import { describe, expect, it } from 'vitest';
import { Bench, codeOf } from '../testing.ts';
import { objectsAt } from './json.ts';

const bench = new Bench();
const { subscriptionId, tenantId } = bench.world;
const SUBSCRIPTION = `/subscriptions/${subscriptionId}`;
const ask = (path: string, more = {}) => bench.ask('GET', path, { apiVersion: '2022-12-01', ...more });

describe('the account', () => {
  it('has one tenant and one subscription', () => {
    expect(ask('/tenants').body?.value).toMatchObject([{ id: `/tenants/${tenantId}`, tenantId }]);
    expect(ask('/subscriptions').body?.value).toMatchObject([{ subscriptionId, tenantId, state: 'Enabled' }]);
    expect(ask(SUBSCRIPTION.toUpperCase()).body).toMatchObject({ subscriptionId });
  });

  it('has the regions and resource groups of the scenario', () => {
    expect(ask(`${SUBSCRIPTION}/locations`).body?.value).toMatchObject([{ name: 'westeurope' }]);
    expect(ask(`${SUBSCRIPTION}/resourcegroups`).body?.value).toMatchObject([{ name: 'demo', location: 'westeurope' }]);
    expect(ask(`${SUBSCRIPTION}/resourceGroups/DEMO`).body).toMatchObject({ name: 'demo' });
    expect(codeOf(ask(`${SUBSCRIPTION}/resourceGroups/none`))).toEqual([404, 'ResourceGroupNotFound']);
  });

  it('says which api-versions the provider takes', () => {
    const { body } = ask(`${SUBSCRIPTION}/providers/Microsoft.Compute`);
    const versionsOf = (type: string) =>
      objectsAt(body, 'resourceTypes').find((one) => one.resourceType === type)?.apiVersions;
    expect(versionsOf('virtualMachineScaleSets')).toContain('2026-04-01');
    expect(versionsOf('galleries/images/versions')).toContain('2024-03-03');
    expect(versionsOf('snapshots')).toContain('2024-03-02');
    expect(codeOf(ask(`${SUBSCRIPTION}/providers/Microsoft.Toys`))).toEqual([404, 'InvalidResourceNamespace']);
  });

  it('is shown to a client with a token that names an api-version and this subscription', () => {
    expect(codeOf(ask('/subscriptions', { token: null }))).toEqual([401, 'AuthenticationFailed']);
    expect(codeOf(ask('/subscriptions', { apiVersion: 'soon' }))).toEqual([400, 'MissingApiVersionParameter']);
    expect(codeOf(ask('/subscriptions/00000000-0000-4000-8000-000000000000'))).toEqual([404, 'SubscriptionNotFound']);
    const headers = ask('/subscriptions').headers ?? {};
    expect(headers['x-ms-request-id']).toBeDefined();
    expect(headers['x-ms-ratelimit-remaining-subscription-reads']).toBeDefined();
  });

  it('cannot be changed', () => {
    const answer = bench.ask('PUT', `${SUBSCRIPTION}/resourcegroups/new`, { body: { location: 'westeurope' } });
    expect(codeOf(answer)).toEqual([404, 'InvalidResourceType']);
  });
});
