import { describe, expect, it } from 'vitest';
import { isAsWanted } from './node-roles.ts';

const wanted = { role: 'system:node-bootstrapper', subject: { kind: 'Group', name: 'system:bootstrappers' } } as const;
const binding = (more: object = {}) => ({
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: wanted.role },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', ...wanted.subject }],
  ...more,
});

describe('a role binding', () => {
  it('is correct', () => {
    expect(isAsWanted(wanted, binding())).toBe(true);
  });

  it.each([
    ['not there', undefined],
    ['another role', binding({ roleRef: { apiGroup: '', kind: 'ClusterRole', name: 'cluster-admin' } })],
    ['a role of a namespace', binding({ roleRef: { apiGroup: '', kind: 'Role', name: wanted.role } })],
    ['without a subject', binding({ subjects: undefined })],
    ['bound to another subject', binding({ subjects: [{ kind: 'Group', name: 'system:authenticated' }] })],
    ['bound to a user of that name', binding({ subjects: [{ kind: 'User', name: wanted.subject.name }] })],
    ['bound to an additional subject', binding({ subjects: [wanted.subject, { kind: 'User', name: 'eve' }] })],
  ])('is %s', (_, seen) => {
    expect(isAsWanted(wanted, seen)).toBe(false);
  });
});
