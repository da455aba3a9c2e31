import { describe, expect, it } from 'vitest';
import { proxyVariables } from './proxies.ts';

describe('proxyVariables', () => {
  it("prefers the environment's proxies to apt's", () => {
    const apt = 'Acquire::http::Proxy "http://apt.test:3142";\nAcquire::https::Proxy "DIRECT";\n';
    expect(proxyVariables({ HTTPS_PROXY: 'http://p', no_proxy: 'x' }, apt)).toEqual({
      https_proxy: 'http://p',
      no_proxy: 'x',
    });
    expect(proxyVariables({}, apt)).toEqual({ http_proxy: 'http://apt.test:3142' });
    expect(proxyVariables({ http_proxy: 'proxy:3128', no_proxy: 'a,b' }, '')).toEqual({
      http_proxy: 'http://proxy:3128',
      no_proxy: 'a,b',
    });
    expect(proxyVariables({}, '')).toEqual({});
  });
});
