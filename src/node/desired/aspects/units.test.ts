import { describe, expect, it } from 'vitest';
import type { NodeConfig } from '../../document/config.ts';
import { want } from '../desired.testing.ts';

describe('units of the document', () => {
  it.each<[string, NodeConfig['units'], string]>([
    [
      'a masked unit with content',
      { 'a.service': { content: 'x', dropIns: {}, isMasked: true } },
      'must not be masked and have content',
    ],
    [
      'a masked unit that is active',
      { 'a.service': { dropIns: {}, isMasked: true, isActive: true } },
      'must not be masked and active',
    ],
    [
      'a template that is active',
      { 'a@.service': { dropIns: {}, isMasked: false, isActive: true } },
      'is a template and cannot be active; only its instances can',
    ],
    [
      'a unit of headstart',
      { 'headstart-node.service': { dropIns: { 'a.conf': '' }, isMasked: false } },
      'belongs to headstart; a document cannot change it',
    ],
    [
      'an activation of kubelet',
      { 'kubelet.service': { dropIns: {}, isMasked: false, isActive: true } },
      'is started by headstart; enabled, active and masked cannot be set',
    ],
  ])('refuse %s', (_what, units, message) => {
    expect(want({ units }).problems).toMatchObject([{ reason: 'config/invalid', message }]);
  });

  it('may add a drop-in to kubelet but not replace one of headstart', () => {
    const dropIns = { '50-user.conf': '[Service]\nNice=1\n' };
    const made = want({ units: { 'kubelet.service': { dropIns, isMasked: false } } });
    expect(made.problems).toEqual([]);
    expect(made.files.get('/etc/systemd/system/kubelet.service.d/50-user.conf')).toMatchObject({ class: 2 });
    const taken = { '20-headstart.conf': '' };
    expect(want({ units: { 'kubelet.service': { dropIns: taken, isMasked: false } } }).problems).toHaveLength(1);
  });
});
