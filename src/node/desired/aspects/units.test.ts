import { describe, expect, it } from 'vitest';
import type { NodeConfig } from '../../document/config.ts';
import { want } from '../desired.testing.ts';

describe('units of the document', () => {
  it.each<[string, NodeConfig['units'], string]>([
    [
      'masked with content',
      { 'a.service': { content: 'x', dropIns: {}, isMasked: true } },
      'is masked and has content: one or the other',
    ],
    [
      'masked and active',
      { 'a.service': { dropIns: {}, isMasked: true, isActive: true } },
      'is masked and active: one or the other',
    ],
    [
      'a template that runs',
      { 'a@.service': { dropIns: {}, isMasked: false, isActive: true } },
      'is a template: only its instances run',
    ],
    [
      'our own',
      { 'headstart-node.service': { dropIns: { 'a.conf': '' }, isMasked: false } },
      'is what configures this node, and not for a document to change',
    ],
    [
      'kubelet switched',
      { 'kubelet.service': { dropIns: {}, isMasked: false, isActive: true } },
      'is started by headstart, when the node is ready for it',
    ],
  ])('cannot be %s', (_what, units, message) => {
    expect(want({ units }).problems).toMatchObject([{ reason: 'config/invalid', message }]);
  });

  it('may add to kubelet, but not replace what headstart adds', () => {
    const dropIns = { '50-user.conf': '[Service]\nNice=1\n' };
    const made = want({ units: { 'kubelet.service': { dropIns, isMasked: false } } });
    expect(made.problems).toEqual([]);
    expect(made.files.get('/etc/systemd/system/kubelet.service.d/50-user.conf')).toMatchObject({ class: 2 });
    const taken = { '20-headstart.conf': '' };
    expect(want({ units: { 'kubelet.service': { dropIns: taken, isMasked: false } } }).problems).toHaveLength(1);
  });
});
