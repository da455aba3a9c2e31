import { expect, test } from 'vitest';
import { span } from '../../testing.ts';
import { groupsOf } from './boot-groups.ts';

const named = (name: string, startS: number) => span(`systemd:${name}`, startS, startS + 1);

test.each([
  ['kernel:until-init', 'kernel'],
  ['platform:VM creation', 'platform'],
  ['systemd:early.service', 'early units'],
  ['systemd:cloud-init-local.service', 'cloud-init'],
  ['cloud-init:modules-final', 'cloud-init'],
  ['extension:AKS.CSE.installDeps', 'agents'],
  ['systemd:kubelet.service', 'kubelet'],
  ['cluster:become-ready', 'cluster'],
])('%s belongs to %s', (id, group) => {
  const groupOf = groupsOf([named('cloud-init-local.service', 20), named('early.service', 2)]);
  expect(groupOf(span(id, 2, 3))).toBe(group);
});

test('units are early until the setup of the node begins', () => {
  const groupOf = groupsOf([span('kernel:until-init', 0, 1), named('cloud-init.service', 20)]);
  expect(groupOf(named('ssh.service', 19))).toBe('early units');
  expect(groupOf(named('ssh.service', 20))).toBe('later units');
});

test('all units are early if no source tells of the setup', () => {
  expect(groupsOf([])(named('ssh.service', 19))).toBe('early units');
});
