import { describe, expect, it } from 'vitest';
import { answerCloudEndpoints } from './cloud-endpoints.ts';

const cloud = { baseUrl: 'https://127.0.0.1:1', tenantId: 'tenant' };
const ask = (path: string, method = 'GET') =>
  answerCloudEndpoints({ method, url: new URL(path, cloud.baseUrl) }, cloud);
const login = { loginEndpoint: cloud.baseUrl, audiences: [`${cloud.baseUrl}/`] };

describe('the endpoints of the cloud', () => {
  it('are one object since 2022-09-01, a list of clouds before, and have another form before that', () => {
    expect(ask('/metadata/endpoints?api-version=2022-09-01')).toMatchObject({
      status: 200,
      body: { resourceManager: cloud.baseUrl, authentication: { ...login, tenant: 'tenant' }, suffixes: {} },
    });
    expect(ask('/metadata/endpoints?api-version=2019-05-01')).toMatchObject({
      status: 200,
      body: [{ name: 'HeadstartSimulator', authentication: login }],
    });
    expect(ask('/metadata/endpoints/?api-version=2015-01-01')).toMatchObject({
      status: 200,
      body: { graphEndpoint: cloud.baseUrl, authentication: login },
    });
  });

  it('need an api-version, and are no answer to anything else', () => {
    expect(ask('/metadata/endpoints')?.status).toBe(400);
    expect(ask('/metadata/endpoints?api-version=2022-09-01', 'POST')).toBeUndefined();
    expect(ask('/metadata/identity/oauth2/token')).toBeUndefined();
  });
});
