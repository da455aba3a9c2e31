import { describe, expect, it } from 'vitest';
import { numberAt, objectsAt, stringAt } from '../service/json.ts';
import { Bench, codeOf, withVersion } from '../testing.ts';

const stateOf = (bench: Bench, name: string) =>
  stringAt(bench.ask('GET', `disks/${name}`).body, 'properties', 'diskState');

describe('the disk of an instance', () => {
  it('is attached while the VM is off, and reserved once the VM is deallocated', () => {
    const bench = new Bench();
    const name = bench.instances()[0]!.osDiskId!.split('/').at(-1)!;
    const act = (action: string) =>
      bench.askAndWait('POST', `virtualMachineScaleSets/pool1/virtualMachines/0/${action}`);
    act('powerOff');
    expect(stateOf(bench, name)).toBe('Attached');
    act('deallocate');
    expect(stateOf(bench, name)).toBe('Reserved');
  });

  it('is not deleted while it is attached', () => {
    const bench = new Bench();
    const name = bench.instances()[0]!.osDiskId!.split('/').at(-1)!;
    expect(codeOf(bench.ask('DELETE', `disks/${name}`))).toEqual([409, 'OperationNotAllowed']);
  });
});

describe('a free disk', () => {
  const body = { location: 'westeurope', properties: { creationData: { createOption: 'Empty' }, diskSizeGB: 8 } };

  it('can be created, listed and deleted', () => {
    const bench = new Bench();
    const before = objectsAt(bench.ask('GET', 'disks').body, 'value').length;
    expect(bench.askAndWait('PUT', 'disks/free', { body }).body?.status).toBe('Succeeded');
    expect(stateOf(bench, 'free')).toBe('Unattached');
    expect(objectsAt(bench.ask('GET', 'disks').body, 'value')).toHaveLength(before + 1);
    expect(bench.askAndWait('DELETE', 'disks/free').body?.status).toBe('Succeeded');
    expect(codeOf(bench.ask('GET', 'disks/free'))).toEqual([404, 'ResourceNotFound']);
    expect(bench.ask('DELETE', 'disks/free').status).toBe(204);
  });

  it('is as large as its snapshot unless the request gives a size', () => {
    const bench = new Bench();
    withVersion(bench);
    const [snapshot] = Object.values(bench.world.snapshots);
    const creationData = { createOption: 'Copy', sourceResourceId: snapshot!.id };
    const sizeOf = (name: string, properties: { diskSizeGB?: number }) => {
      bench.askAndWait('PUT', `disks/${name}`, { body: { ...body, properties: { creationData, ...properties } } });
      return numberAt(bench.ask('GET', `disks/${name}`).body, 'properties', 'diskSizeGB');
    };
    expect([sizeOf('copy', {}), sizeOf('larger', { diskSizeGB: 99 })]).toEqual([snapshot!.sizeGb, 99]);
  });

  it('keeps its identity when it is put again', () => {
    const bench = new Bench();
    const uniqueId = () => stringAt(bench.ask('GET', 'disks/free').body, 'properties', 'uniqueId');
    bench.askAndWait('PUT', 'disks/free', { body });
    const first = uniqueId();
    bench.askAndWait('PUT', 'disks/free', { body });
    expect([first, uniqueId()]).toEqual([expect.any(String), first]);
  });
});
