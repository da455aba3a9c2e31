import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import {
  bytes,
  count,
  cpu,
  evictionThreshold,
  flagName,
  labelKey,
  labelValue,
  moduleName,
  OWN_FLAGS,
  registryHost,
  sshKey,
  sysctlKey,
  sysctlValue,
  systemdUnitName,
  taintKey,
  writablePath,
} from './formats.ts';

/** The problem with a value, for a union the problems of all members; undefined: none. */
function problemOf(schema: z.ZodMiniType, value: unknown): string | undefined {
  const messages = (issues: readonly z.core.$ZodIssue[]): string[] =>
    issues.flatMap((issue) => (issue.code === 'invalid_union' ? issue.errors.flatMap(messages) : [issue.message]));
  const { error } = schema.safeParse(value);
  return error && messages(error.issues).join('; ');
}

function expectTaken(schema: z.ZodMiniType, ...values: unknown[]): void {
  for (const value of values) expect(problemOf(schema, value), String(value)).toBeUndefined();
}

function expectRefused(schema: z.ZodMiniType, problem: RegExp, ...values: unknown[]): void {
  for (const value of values) expect(problemOf(schema, value) ?? 'taken', String(value)).toMatch(problem);
}

describe('the key of a label', () => {
  it('is a name with an optional domain', () => {
    expectTaken(labelKey(), 'pool', 'a', 'A_b.c-9', 'example.com/name', `${'a'.repeat(253)}/${'b'.repeat(63)}`);
    expectRefused(labelKey(), /is not a label such as/, '', '-a', 'a-', 'a/b/c', '/a', 'a/', 'Example.com/x', 'a b');
    expectRefused(labelKey(), /is not a label such as/, 'b'.repeat(64), `${'a'.repeat(254)}/b`);
  });

  it('below kubernetes.io must be one that a node may set on itself', () => {
    expectTaken(
      labelKey(),
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
      'node.kubernetes.io/anything',
      'x.kubelet.kubernetes.io/anything',
    );
    expectRefused(
      labelKey(),
      /a node may not set on itself/,
      'kubernetes.io/role',
      'node-role.kubernetes.io/worker',
      'node-restriction.kubernetes.io/x',
      'topology.kubernetes.io/rack',
      'k8s.io/x',
      'a.k8s.io/x',
    );
  });

  it('may be below a domain that only ends like kubernetes.io', () => {
    expectTaken(labelKey(), 'notkubernetes.io/x', 'myk8s.io/x', 'kubernetes.io.example.com/x');
  });

  it('of a taint may have any domain, because NodeRestriction does not cover taints', () => {
    expectTaken(taintKey(), 'node-role.kubernetes.io/worker', 'dedicated');
    expectRefused(taintKey(), /is not a key such as/, '', 'a b', 'a/b/c');
  });

  it('has a value of at most 63 characters, which may be empty', () => {
    expectTaken(labelValue(), '', 'a', 'A.b_c-9', 'x'.repeat(63));
    expectRefused(labelValue(), /is not a label value|63/, '-', 'a.', 'a/b', 'x'.repeat(64));
  });
});

describe('an amount', () => {
  it('of memory is a number of bytes, a quantity or an expression', () => {
    expectTaken(bytes(), 0, 2 ** 50, '255Mi', '1.5Gi', '100', '= memory / 10', '= max(100Mi, memory / 20)');
    expectRefused(bytes(), /is not an amount such as 255Mi/, '255MB', '-1', '1Pi', '', ' 1Mi', '999999999999999Ti');
    expectRefused(bytes(), /expected an amount of memory, got a number/, '= cpu * 2');
    expect(problemOf(bytes(1024), 1023)).toBeDefined();
    expect(problemOf(bytes(), -1)).toBeDefined();
  });

  it('of CPU is a number of cores, millicores or an expression', () => {
    expectTaken(cpu(), 0, 0.25, 10_000, '100m', '1.5', '= cpu / 10');
    expectRefused(cpu(), /is not an amount such as 100m/, '1.5m', '1.2345', '1 core', '');
    expectRefused(cpu(), /expected a number, got an amount of memory/, '= memory');
    expect(problemOf(cpu(), 10_001)).toBeDefined();
  });

  it('that is a count is a whole number in its range, or an expression', () => {
    expectTaken(count(1, 110), 1, 110, '= min(110, cpu * 10)');
    expectRefused(count(1, 110), /is neither a number nor an expression such as/, '50', 'many');
    expectRefused(count(1, 110), /./, 0, 111, 1.5, '= min(', '= nothing * 2', `= 1${' + 1'.repeat(100)}`);
  });

  it('that is an eviction threshold is a percentage or a quantity', () => {
    expectTaken(evictionThreshold(), '5%', '0.125%', '100Mi', '1000');
    expectRefused(evictionThreshold(), /is not an amount such as 100Mi or 5%/, '100%', '5 %', '-1', '1.5Gi', '');
  });
});

describe('what headstart owns', () => {
  it('cannot be a unit of a document', () => {
    expectTaken(
      systemdUnitName(),
      'a.service',
      'getty@tty1.service',
      'dev-disk-by\\x2did.swap',
      '_x.timer',
      'my-headstart.service',
    );
    expectRefused(systemdUnitName(), /is reserved for headstart/, 'headstart-node.service', 'headstart.target');
    expectRefused(
      systemdUnitName(),
      /is not the name of a unit/,
      'a',
      'a.device',
      'a.service.d',
      '../a.service',
      '.service',
      'a b.service',
    );
  });

  it('cannot be a kubelet flag of a document', () => {
    expectTaken(flagName(), 'max-pods', 'node-status-max-images');
    expectRefused(flagName(), /that headstart sets itself/, ...OWN_FLAGS);
    expectRefused(flagName(), /without leading dashes/, '--max-pods', 'maxPods', '', 'a=b', '1a');
  });

  it('cannot be a file of a document, nor can files that grant privileges', () => {
    expectTaken(writablePath(), '/etc/motd', '/var/lib/app/x');
    expectRefused(writablePath(), /./, '/etc/headstart/x', '/etc/sudoers.d/x', '/etc/../root/x', '/root/x', 'etc/x');
  });
});

describe('a name', () => {
  it('of a kernel module cannot be __proto__', () => {
    expectTaken(moduleName(), 'br_netfilter', '8021q', 'nf-conntrack');
    expectRefused(moduleName(), /is not the name of a kernel module/, '__proto__', '-x', 'a.ko', '');
  });

  it('of a kernel setting has at least two parts, and the value is one line', () => {
    expectTaken(sysctlKey(), 'net.ipv4.ip_forward', 'net/ipv4/conf/eth0.100/rp_filter', 'vm.swappiness');
    expectRefused(sysctlKey(), /is not a kernel setting/, 'vm', 'net..x', '../x', '.vm.x', 'net.ipv4.', 'Net.x');
    expectTaken(sysctlValue(), 1, -1, '4096 87380 6291456', '');
    expectRefused(sysctlValue(), /line break/, '1\nkernel.panic=1');
    expect(problemOf(sysctlValue(), 1.5)).toBeDefined();
  });

  it('of a registry is a lower-case host with an optional port, or _default', () => {
    expectTaken(registryHost(), '_default', 'docker.io', 'localhost:5000', '10.0.0.1:443');
    expectRefused(
      registryHost(),
      /is not a registry host/,
      'Docker.io',
      'https://a',
      'a/b',
      'a..b',
      'a:',
      '-a',
      'a:123456',
    );
  });
});

describe('an SSH key', () => {
  const key = `ssh-ed25519 ${'A'.repeat(68)}`;

  it('is one line with a type, a key and an optional comment', () => {
    expectTaken(sshKey(), key, `${key} me@host and more`, `sk-ssh-ed25519@openssh.com ${'A'.repeat(90)}==`);
  });

  it('has no options, no second line and no obsolete type', () => {
    const others = [
      `command="x" ${key}`,
      `${key}\n${key}`,
      key.replace('ssh-ed25519', 'ssh-dss'),
      'ssh-ed25519 AAAA',
      '',
    ];
    expectRefused(sshKey(), /is not one authorized_keys line without options/, ...others);
  });
});
