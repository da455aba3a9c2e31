import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anInstance, aRequest } from './testing.ts';
import { answerWire } from './wire-server.ts';

const NOW = 1_800_000_000_000;
const ask = (target: string, more = {}) => answerWire(aRequest(target, more), anInstance, NOW);

/** The report that cloud-init and azure-init send. */
function health(state: string, details = '', containerId = anInstance.vmId): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<Health xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <GoalStateIncarnation>1</GoalStateIncarnation>
  <Container><ContainerId>${containerId}</ContainerId><RoleInstanceList><Role>
    <InstanceId>x</InstanceId><Health><State>${state}</State>${details}</Health>
  </Role></RoleInstanceList></Container>
</Health>`;
}
const post = (body: string) => ask('/machine?comp=health', { method: 'POST', body });

describe('the wire server', () => {
  it('lists its versions without a version header', () => {
    expect(ask('/?comp=versions', { headers: {} }).response).toMatchObject({
      status: 200,
      body: expect.stringContaining('<Version>2012-11-30</Version>'),
    });
  });

  it('returns a goal state with everything that a report must repeat', () => {
    for (const path of ['/machine', '/machine/']) {
      const { status, headers, body } = ask(`${path}?comp=goalstate`).response;
      expect({ status, type: headers?.['Content-Type'] }).toEqual({ status: 200, type: 'text/xml; charset=utf-8' });
      expect(body).toContain('<Incarnation>1</Incarnation>');
      expect(body).toContain(`<ContainerId>${anInstance.vmId}</ContainerId>`);
      expect(body).toContain(`<InstanceId>${anInstance.vmId}._pool1-000003</InstanceId>`);
    }
  });

  it('accepts a readiness report, with this machine’s time', () => {
    expect(post(health('Ready'))).toEqual({
      response: { status: 200, body: '' },
      report: { atMs: NOW, state: 'Ready' },
    });
  });

  it('accepts a failure report with its reason', () => {
    const details =
      '<Details><SubStatus>ProvisioningFailed</SubStatus><Description>no &lt;lease&gt; &amp; no &#10; way</Description></Details>';
    expect(post(health('NotReady', details)).report).toEqual({
      atMs: NOW,
      state: 'NotReady',
      subStatus: 'ProvisioningFailed',
      description: 'no <lease> & no &#10; way',
    });
  });

  it('truncates a long description', () => {
    const details = `<Details><SubStatus>x</SubStatus><Description>${'y'.repeat(99_999)}</Description></Details>`;
    expect(post(health('NotReady', details)).report?.description).toHaveLength(1024);
  });

  it.each([
    ['a clone with its donor’s goal state', health('Ready', '', 'c6d5526c-5ac2-4200-b6e2-56f2b70c5ab2'), 410],
    ['another incarnation', health('Ready').replace('>1<', '>2<'), 410],
    ['no state', health(''), 400],
    ['a body that is not XML', '{}', 400],
  ])('refuses a report from %s', (_, body, status) => {
    const { response, report } = post(body);
    expect({ status: response.status, report }).toEqual({ status, report: undefined });
  });

  it.each([
    ['/machine?comp=goalstate', { headers: {} }, 400],
    ['/machine?comp=goalstate', { headers: { 'x-ms-version': '1999-01-01' } }, 400],
    ['/machine?comp=goalstate', { method: 'POST' }, 405],
    ['/machine?comp=health', {}, 405],
    ['/machine?comp=telemetrydata', {}, 405],
    ['/machine?comp=telemetrydata', { method: 'POST', body: '<x/>' }, 200],
    ['/machine?comp=nothing', {}, 404],
    ['/machine/1/2?comp=certificates', {}, 404],
    ['/', {}, 404],
  ])('responds to %s %j with %d', (target, more, status) => {
    expect(ask(target, more).response.status).toBe(status);
  });

  it('never throws, for any body', () => {
    fc.assert(
      fc.property(fc.string(), (body) => {
        expect([200, 400, 410]).toContain(post(body).response.status);
        expect([200, 400, 410]).toContain(post(health('NotReady', `<Description>${body}`)).response.status);
      }),
    );
  });
});
