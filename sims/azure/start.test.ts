import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Referee } from './referee/referee.ts';
import { API_VERSIONS } from './service/api-versions.ts';
import type { JsonObject } from './service/json.ts';
import type { HttpExchange } from './service/listen.ts';
import { type AzureSim, type SimOptions, startAzureSim } from './start.ts';

const SET = 'virtualMachineScaleSets/pool1';
const STOP = `${SET}/virtualMachines/0/powerOff`;
const SCENARIO = { cluster: 'demo', resourceGroup: 'demo', scaleSets: [{ name: 'pool1', instances: 1 }] };

let sim: AzureSim;
afterEach(() => sim?.stop());

async function start(options: Partial<SimOptions> = {}): Promise<AzureSim> {
  sim = await startAzureSim({ scenario: SCENARIO, ...options });
  return sim;
}

interface Reply {
  status: number;
  body: JsonObject;
}

/** One request on the wire; rejects when the connection breaks. */
function ask(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: object; body?: object } = {},
): Promise<Reply> {
  const group = `/subscriptions/${sim.inspect().subscriptionId}/resourceGroups/demo/providers/Microsoft.Compute`;
  const apiVersion = API_VERSIONS[path.startsWith('disks/') ? 'disk' : 'compute'];
  const url = path.startsWith('/') ? path : `${group}/${path}?api-version=${apiVersion}`;
  return new Promise((resolve, reject) => {
    const options = {
      method,
      ca: sim.caPem,
      agent: false,
      headers: { authorization: 'Bearer canary-token', ...headers },
    };
    request(new URL(url, sim.url), options, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode!, body: JSON.parse(text || '{}') as JsonObject });
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

const powers = () => Object.values(sim.inspect().instances).map(({ power }) => power);

it('has the address at which another network reaches it in its own address and in its certificate', async () => {
  await start({ address: '168.0.0.99' });
  expect(sim.url).toMatch(/^https:\/\/168\.0\.0\.99:\d+$/);
  expect(new X509Certificate(sim.caPem).checkIP('168.0.0.99')).toBe('168.0.0.99');
});

describe('faults on the wire', () => {
  it('a reset comes before the request is handled, a lost answer after it was executed', async () => {
    await start();
    sim.fail({ on: 'POST powerOff', kind: 'connection-reset' });
    await expect(ask('POST', STOP)).rejects.toThrow();
    expect(sim.requests).toHaveLength(0);
    await sim.clock.sleep(60_000);
    expect(powers()).toEqual(['running']);
    sim.fail({ on: 'POST powerOff', kind: 'answer-lost' });
    await expect(ask('POST', STOP)).rejects.toThrow();
    expect(sim.requests).toMatchObject([{ method: 'POST', answer: { status: 202 } }]);
    await sim.clock.sleep(60_000);
    expect(powers()).toEqual(['stopped']);
  });

  it('are all gone once they are healed', async () => {
    await start();
    sim.fail({ on: '* *', kind: 'server-error', times: 9 });
    expect((await ask('GET', SET)).status).toBe(503);
    sim.healAll();
    expect((await ask('GET', SET)).status).toBe(200);
  });

  it('leave logins alone, which are no requests to the resource manager', async () => {
    await start();
    sim.fail({ on: '* *', kind: 'connection-reset', times: 9 });
    const token = await ask('GET', '/metadata/identity/oauth2/token', { headers: { metadata: 'true' } });
    expect(token).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
    expect(sim.requests).toEqual([]);
  });
});

describe('the world behind the simulator', () => {
  it('can be changed by another client, and the ETag shows it', async () => {
    await start();
    const { body } = await ask('GET', SET);
    sim.meddle((world) => {
      for (const set of Object.values(world.scaleSets)) set.etag += 1;
    });
    const change = { headers: { 'if-match': String(body.etag) }, body: { tags: {} } };
    expect(await ask('PATCH', SET, change)).toMatchObject({
      status: 412,
      body: { error: { code: 'PreconditionFailed' } },
    });
  });

  it('is shown as a copy in which everything that is due has happened', async () => {
    await start();
    await ask('POST', STOP);
    expect(powers()).not.toEqual(['stopped']);
    for (const instance of Object.values(sim.inspect().instances)) instance.power = 'stopped';
    expect(powers()).not.toEqual(['stopped']);
    sim.clock.advance(600_000);
    expect(powers()).toEqual(['stopped']);
  });

  it('has the clock it was given, or a virtual one that starts where every test does', async () => {
    expect((await start()).clock.nowMs()).toBe(Date.parse('2026-11-15T08:00:00Z'));
    const real = await startAzureSim({ scenario: SCENARIO, clock: systemClock });
    expect(real.clock).toBe(systemClock);
    await real.stop();
  });

  it('is not started from a scenario that is wrong', async () => {
    const scenario = { ...SCENARIO, scaleSets: [{ name: 'pool1', instances: -1 }] };
    await expect(startAzureSim({ scenario })).rejects.toThrow(/instances/);
  });
});

describe('the recorded requests', () => {
  it('is shown to the referee as well, lost answers included, and never has the token', async () => {
    const seen: HttpExchange[] = [];
    const referee: Referee = {
      sat: true,
      check: (exchange) => void seen.push(exchange),
      report: () => Promise.reject(new Error('not called in this test')),
    };
    await start({ referee });
    await ask('GET', SET);
    sim.fail({ on: 'POST powerOff', kind: 'answer-lost' });
    await expect(ask('POST', STOP)).rejects.toThrow();
    expect(seen.map(({ method, atMs }) => [method, atMs])).toEqual([
      ['GET', sim.clock.nowMs()],
      ['POST', sim.clock.nowMs()],
    ]);
    expect(sim.requests).toEqual(seen);
    expect(JSON.stringify(seen)).not.toContain('canary-token');
  });
});

describe('a role', () => {
  const actions = ['Microsoft.Compute/virtualMachineScaleSets/read', 'Microsoft.Compute/snapshots/write'];

  it('is enforced, and what it has too much of is known', async () => {
    await start({ role: { actions } });
    expect((await ask('GET', SET)).status).toBe(200);
    expect(await ask('GET', 'disks/x')).toMatchObject({
      status: 403,
      body: { error: { code: 'AuthorizationFailed' } },
    });
    expect(sim.roles.used()).toEqual([actions[0]]);
    expect(sim.roles.unneeded()).toEqual([actions[1]]);
  });

  it('that is not given allows everything, and lists the actions a role would need', async () => {
    await start();
    await ask('POST', STOP);
    await ask('GET', SET);
    expect(sim.roles.used()).toEqual([
      actions[0],
      'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/powerOff/action',
    ]);
    expect(sim.roles.unneeded()).toEqual([]);
  });
});
