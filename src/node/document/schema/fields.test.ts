import { describe, expect, it } from 'vitest';
import { fieldsOf } from './fields.ts';

const v1 = new Map(fieldsOf('headstart.dev/v1').map((field) => [field.path, field]));

describe('the fields of a document', () => {
  it.each([
    ['apiVersion', '`headstart.dev/v1`'],
    ['metadata.generation', '1 or more'],
    ['spec.cluster.endpoint', 'https URL'],
    ['spec.cluster.podCidrs', 'list of address range'],
    ['spec.kubelet.maxPods', '1 to 10000 or expression'],
    ['spec.kubelet.systemReserved.memory', 'memory'],
    ['spec.kubelet.cpuManagerPolicy', '`none`, `static`'],
    ['spec.kubelet.config', 'anything'],
    ['spec.kubelet.serverTlsBootstrap', '`true`, `false`'],
    ['spec.labels', 'map of text'],
    ['spec.taints[].key', 'key'],
    ['spec.os.sysctls', 'map of number or text'],
    ['spec.files.<name>.mode', 'text'],
    ['spec.update.window.start', 'text'],
    ['spec.update.jitter', 'span'],
  ])('describe %s as %s', (path, takes) => {
    expect(v1.get(path)?.takes).toBe(takes);
  });

  it('include required, default and secret', () => {
    expect(v1.get('spec.cluster.name')).toMatchObject({ isRequired: true, isSecret: false });
    expect(v1.get('spec.cluster.name')).not.toHaveProperty('default');
    expect(v1.get('spec.update.mode')).toMatchObject({ isRequired: false, default: '"auto"' });
    expect(v1.get('spec.join.token.token')).toMatchObject({ isSecret: true });
  });

  it('have a row for an object field only if it has a description', () => {
    expect(v1.has('spec.kubelet')).toBe(false);
    expect(v1.get('spec.cluster')?.about).toBe('Without a cluster, kubelet runs standalone.');
  });
});
