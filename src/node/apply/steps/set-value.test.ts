import { describe, expect, it } from 'vitest';
import { KUBECONFIG_PATH } from '../../desired/aspects/join.ts';
import { RULES_PATH } from '../../desired/aspects/metadata-firewall.ts';
import type { PlanStep } from '../../desired/tree.ts';
import type { HostReader } from '../../observe/host-reader.ts';
import { aWorld, doneBy, restart, set } from '../execute.testing.ts';
import { execute } from '../execute.ts';

describe('a step that sets a value', () => {
  it('skips the MTU without a network interface, and does not fail', async () => {
    const { done, context } = aWorld();
    const host: HostReader = { ...context.deps.host, text: () => undefined };
    await execute([set('mtu', '', '9000'), restart('a.service')], { ...context, deps: { ...context.deps, host } });
    expect(done.filter((line) => line.startsWith('setKernelValue'))).toEqual([]);
    expect(done.some((line) => /^systemctl .*a\.service$/.test(line))).toBe(true);
  });

  it('waits for the network before it sets the MTU', async () => {
    const { done, context } = aWorld();
    let looks = 0;
    const text = (path: string) => (++looks > 20 ? context.deps.host.text(path) : undefined);
    await execute([set('mtu', '', '9000')], {
      ...context,
      deps: { ...context.deps, host: { ...context.deps.host, text } },
    });
    expect(done).toContain('setKernelValue /sys/class/net/eth7/mtu 9000');
  });

  it.each<[string, PlanStep[], string[]]>([
    ['a kernel setting', [set('sysctl', 'vm.max_map_count', '1')], ['setKernelValue /proc/sys/vm/max_map_count 1']],
    ['a host name', [set('host-name', '', 'node-1')], ['setKernelValue /proc/sys/kernel/hostname node-1']],
    ['an MTU', [set('mtu', '', '9000')], ['setKernelValue /sys/class/net/eth7/mtu 9000']],
    ['firewall rules', [set('firewall', 't', 'x')], [`nft -f ${RULES_PATH}`]],
    [
      'the removal of firewall rules',
      [{ do: 'clear', kind: 'firewall', key: 't' }],
      ['nft -f - < table inet t;delete table inet t;'],
    ],
    [
      'a label',
      [set('label', 'tier', 'a'), { do: 'clear', kind: 'label', key: 'b' }],
      ['label tier=a', 'label b=undefined'],
    ],
    [
      'swap',
      [set('swap', '/var/lib/new', '4096')],
      [
        'remove /var/lib/new',
        'create /var/lib/new',
        'fallocate --length 4096 /var/lib/new',
        'mkswap /var/lib/new',
        'swapon /var/lib/new',
      ],
    ],
    [
      'the removal of swap with a path that the kernel shows differently',
      [{ do: 'clear', kind: 'swap', key: '/var/lib/shown-otherwise' }],
      ['swapoff /var/lib/shown-otherwise', 'remove /var/lib/shown-otherwise'],
    ],
    [
      'the removal of swap',
      [{ do: 'clear', kind: 'swap', key: '/var/lib/on' }],
      ['swapoff /var/lib/on', 'remove /var/lib/on'],
    ],
  ])('executes the commands and writes for %s', async (_what, steps, expected) => {
    expect(await doneBy(steps)).toEqual(expected);
  });

  it('renames the staged kubeconfig, and skips one that is up to date', async () => {
    const step = set('kubeconfig', '', 'https://10.0.0.1');
    expect(await doneBy([step], { staged: new Map([[KUBECONFIG_PATH, '/etc/kubernetes/.new']]) })).toEqual([
      'rename /etc/kubernetes/.new '.concat(KUBECONFIG_PATH),
    ]);
    expect(await doneBy([step])).toEqual([]);
  });

  it('fails if the disk has no space for swap', async () => {
    const { done, context } = aWorld({}, { 'fallocate --length 1 /var/lib/a': { code: 1 } });
    const steps: PlanStep[] = [set('swap', '/var/lib/a', '1'), { do: 'daemon-reload' }];
    await expect(execute(steps, context)).rejects.toMatchObject({ name: 'StepFailed', code: 'apply/disk-full' });
    expect(done).not.toContain('systemctl daemon-reload');
  });

  it('removes the swap file on failure', async () => {
    const { done, context } = aWorld({}, { 'mkswap /var/lib/a': { code: 1 } });
    await expect(execute([set('swap', '/var/lib/a', '1')], context)).rejects.toThrow('mkswap');
    expect(done.at(-1)).toBe('remove /var/lib/a');
  });

  it('fails with the value and the errno if the kernel rejects it, and rethrows a bug', async () => {
    const refuse = (error: Error) => {
      const { context } = aWorld();
      const disk = {
        ...context.deps.disk,
        setKernelValue: () => {
          throw error;
        },
      };
      return execute([set('sysctl', 'vm.a', '1')], { ...context, deps: { ...context.deps, disk } });
    };
    await expect(refuse(Object.assign(new Error('x'), { code: 'EINVAL' }))).rejects.toMatchObject({
      code: 'apply/setting-refused',
      message: '/proc/sys/vm/a = 1: EINVAL',
    });
    await expect(refuse(new TypeError('bug'))).rejects.toThrow(TypeError);
  });

  it('refuses a kind that it cannot set or clear', async () => {
    await expect(doneBy([set('taint', 'a:NoSchedule', 'x')])).rejects.toThrow('cannot set taint');
    await expect(doneBy([{ do: 'clear', kind: 'sysctl', key: 'a' }])).rejects.toThrow('cannot clear sysctl');
  });
});
