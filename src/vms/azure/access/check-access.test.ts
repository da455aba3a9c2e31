import { describe, expect, it } from 'vitest';
import { NotFound, Unauthenticated } from '../../../base/failures.ts';
import { type ScriptedReply, wire } from '../connect/testing.ts';
import { rawScaleSet, scaleSetPool } from '../scale-set.testing.ts';
import { azureOn } from '../testing.ts';
import { checkAccess } from './check-access.ts';

const set = { status: 200, body: rawScaleSet() };
const group = '/subscriptions/s/resourceGroups/demo';
const rights = (...actions: string[]) => ({ status: 200, body: { value: [{ actions, notActions: [] }] } });
const locks = (...found: [scope: string, level: string][]) => ({
  status: 200,
  body: {
    value: found.map(([scope, level]) => ({
      id: `${scope}/providers/Microsoft.Authorization/locks/keep`,
      properties: { level },
    })),
  },
});
const forbidden = { status: 403, body: { error: { code: 'AuthorizationFailed', message: 'no' } } };
const missing = { status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } };

/** The gallery is in group "g", the pool in group "demo". */
async function check(...script: ScriptedReply[]) {
  const { call, sent } = await wire(set, ...script);
  const access = await checkAccess(azureOn(call), scaleSetPool, 'SIG_demo');
  const asked = sent
    .slice(1)
    .map(({ url }) => `${url.pathname.split('/providers/')[0]} ${url.pathname.split('/').at(-1)}`);
  return { access, asked, sent };
}

describe('access', () => {
  it('is complete with all rights and no lock, and takes one request per group and kind', async () => {
    const { access, asked, sent } = await check(rights('*'), rights('*'), locks(), locks());
    expect(access).toEqual({ refusals: [], notes: [] });
    expect(asked).toEqual(
      ['demo permissions', 'g permissions', 'demo locks', 'g locks'].map(
        (one) => `/subscriptions/s/resourceGroups/${one}`,
      ),
    );
    expect(sent[1]!.url.searchParams.get('api-version')).toBe('2022-04-01');
    expect(sent[3]!.url.searchParams.get('api-version')).toBe('2016-09-01');
  });

  it('names every missing right at once, with its group and the role that has it', async () => {
    const script = [rights('*/read'), rights('*/read'), rights('*/read', 'Microsoft.Compute/galleries/*'), missing];
    const { access } = await check(...script, locks(), locks());
    expect(access.refusals).toHaveLength(1);
    const [{ code, reason, next }] = access.refusals as [(typeof access.refusals)[0]];
    expect(code).toBe('vms/missing-rights');
    for (const action of [
      'Microsoft.Compute/virtualMachineScaleSets/write',
      'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/powerOff/action',
      'Microsoft.Compute/disks/beginGetAccess/action',
      'Microsoft.Compute/snapshots/delete, Microsoft.Compute/snapshots/write on resource group g',
    ])
      expect(reason).toContain(action);
    expect(reason).not.toContain('galleries');
    expect(reason).not.toContain('/virtualMachines/read');
    expect(next).toContain('docs/azure-role.json');
  });

  it('counts rights that are granted on the scale set alone', async () => {
    const onSet = rights('Microsoft.Compute/virtualMachineScaleSets/*');
    const { access } = await check(rights('Microsoft.Compute/disks/*'), onSet, rights('*'), locks(), locks());
    expect(access).toEqual({ refusals: [], notes: [] });
  });

  it.each([
    forbidden,
    missing,
    { status: 400, body: { error: { code: 'NoRegisteredProviderFound', message: 'no' } } },
    { status: 200, body: { value: [] } },
    { status: 200, body: {} },
  ])('that cannot be read is a note, not a refusal: %j', async (answer) => {
    const { access } = await check(answer, forbidden, locks());
    expect(access.refusals).toEqual([]);
    expect(access.notes).toEqual([
      expect.stringContaining('Microsoft.Authorization/permissions/read'),
      expect.stringContaining('locks of resource group demo'),
    ]);
  });

  it.each([group, '/subscriptions/s', scaleSetPool.id, '/subscriptions/s/resourceGroups/g'])(
    'is refused because of a ReadOnly lock on %s',
    async (scope) => {
      const ofGallery = /\/g$/.test(scope);
      const [first, second] = ofGallery ? [locks(), locks([scope, 'ReadOnly'])] : [locks([scope, 'ReadOnly']), locks()];
      const { access } = await check(rights('*'), rights('*'), first, second);
      expect(access.refusals).toMatchObject([
        { code: 'vms/locked', reason: expect.stringContaining('"keep" (ReadOnly)') },
      ]);
      expect(access.refusals[0]!.next).toContain('az lock delete --ids');
    },
  );

  it('with a CanNotDelete lock where the gallery is says what will stay', async () => {
    const lock = locks(['/subscriptions/s/resourceGroups/g', 'CanNotDelete']);
    const { access } = await check(rights('*'), rights('*'), locks([group, 'CanNotDelete']), lock);
    expect(access.refusals).toEqual([]);
    expect(access.notes).toEqual([
      expect.stringMatching(
        /"keep" \(CanNotDelete\) on resource group g, snapshots and old versions cannot be deleted/,
      ),
    ]);
  });

  it('ignores locks of other resources', async () => {
    const other = `${group}/providers/Microsoft.Network/virtualNetworks/net`;
    const { access } = await check(rights('*'), rights('*'), locks([other, 'ReadOnly']), locks());
    expect(access).toEqual({ refusals: [], notes: [] });
  });

  it('reads all pages', async () => {
    const more = {
      status: 200,
      body: {
        ...locks().body,
        nextLink: `https://arm.example${group}/providers/Microsoft.Authorization/locks?api-version=2016-09-01&$skiptoken=1`,
      },
    };
    const { access } = await check(rights('*'), rights('*'), more, locks([group, 'ReadOnly']), locks());
    expect(access.refusals).toHaveLength(1);
  });

  it('of a pool that does not exist, or with a login that is refused, is an error', async () => {
    const { call } = await wire(missing);
    await expect(checkAccess(azureOn(call), scaleSetPool, 'g')).rejects.toBeInstanceOf(NotFound);
    const expired = { status: 401, body: { error: { code: 'ExpiredAuthenticationToken', message: 'no' } } };
    await expect(check(expired, expired)).rejects.toBeInstanceOf(Unauthenticated);
  });
});
