import { describe, expect, it } from 'vitest';
import { VERSIONS } from './api-versions.ts';
import { answerMetadata } from './metadata-service.ts';
import { anInstance, aRequest } from './testing.ts';

const ask = (target: string, instance = anInstance) => answerMetadata(aRequest(target), instance, 0);
const read = (target: string, instance = anInstance) => JSON.parse(ask(target, instance).body);
const LATEST = 'api-version=2025-04-07';

describe('the instance document', () => {
  it('identifies the instance, and has its user data unchanged', () => {
    const { compute, network, extended } = read('/metadata/instance?api-version=2021-08-01&extended=true');
    expect(compute).toMatchObject({
      vmId: anInstance.vmId,
      name: 'pool1-000003',
      vmScaleSetName: 'pool1',
      userData: anInstance.userData,
      customData: '',
      osProfile: { computerName: 'pool1-000003', adminUsername: 'headstart', disablePasswordAuthentication: 'true' },
      publicKeys: [{ keyData: anInstance.publicKeys[0], path: '/home/headstart/.ssh/authorized_keys' }],
      tags: 'env:test;team:a',
      tagsList: [
        { name: 'env', value: 'test' },
        { name: 'team', value: 'a' },
      ],
      storageProfile: { osDisk: { diskSizeGB: '4' }, imageReference: { ...anInstance.image, publisher: '' } },
    });
    expect(network.interface[0].macAddress).toBe('525400123456');
    expect(network.interface[0].ipv4.ipAddress[0].privateIpAddress).toBe('168.0.0.15');
    expect(extended).toEqual({ compute: { ppsType: 'None' } });
  });

  it('has the extended part only on request, in API versions that support it', () => {
    expect(read(`/metadata/instance?${LATEST}`)).not.toHaveProperty('extended');
    expect(read('/metadata/instance?api-version=2021-01-01&extended=true')).not.toHaveProperty('extended');
  });

  it('has the fields of a marketplace image', () => {
    const image = { publisher: 'Debian', offer: 'debian-12', sku: '12', version: 'latest' };
    expect(read(`/metadata/instance/compute?${LATEST}`, { ...anInstance, image })).toMatchObject({
      ...image,
      storageProfile: { imageReference: { ...image, id: '' } },
    });
  });

  it('has only strings as values, and at least the fields of older versions', () => {
    let fields: string[] = [];
    for (const version of VERSIONS) {
      const document = ask(`/metadata/instance?api-version=${version}`).body;
      JSON.parse(document, (_, value) => expect(['string', 'object']).toContain(typeof value));
      const compute = Object.keys(JSON.parse(document).compute);
      expect(compute).toEqual(expect.arrayContaining(fields));
      fields = compute;
    }
    expect(fields).toContain('userData');
    expect(read('/metadata/instance/compute?api-version=2020-12-01')).not.toHaveProperty('userData');
  });

  it('says that it is in a standby pool only for an instance of one, as text', () => {
    const seen = (instance: Partial<typeof anInstance>, version = LATEST) =>
      read(`/metadata/instance/compute?${version}`, { ...anInstance, ...instance }).isVmInStandbyPool;
    expect(seen({})).toBeUndefined();
    expect([seen({ isVmInStandbyPool: true }), seen({ isVmInStandbyPool: false })]).toEqual(['true', 'false']);
    expect(seen({ isVmInStandbyPool: true }, 'api-version=2021-08-01')).toBeUndefined();
  });

  it('says how the platform pre-provisioned it', () => {
    const target = `/metadata/instance?${LATEST}&extended=true`;
    expect(read(target, { ...anInstance, ppsType: 'Running' }).extended).toEqual({ compute: { ppsType: 'Running' } });
  });

  it('has a physical zone only for an instance in a zone', () => {
    const compute = `/metadata/instance/compute?${LATEST}`;
    expect(read(compute, { ...anInstance, zone: '2' })).toMatchObject({ zone: '2', physicalZone: 'local-AZ02' });
    expect(read(compute)).toMatchObject({ zone: '', physicalZone: '' });
  });
});
