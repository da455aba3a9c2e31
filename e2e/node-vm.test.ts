// e2e/node-vm.test.ts: a node on a real VM, configured from its metadata alone: at first boot without cloud-init, changed in place, rolled back when
// a change breaks it, and consistent after every power cut. Two seeded cuts; HEADSTART_CAMPAIGN=full makes one for each seed, twenty by default.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { random } from '../sims/azure/world.ts';
import { systemClock } from '../src/base/clock.ts';
import { requestedSeeds } from '../src/base/seeds.testing.ts';
import { memoryInput } from '../src/boot/load/input.ts';
import { recognise } from '../src/boot/load/load.ts';
import { nodeStepsSource } from '../src/boot/load/sources/kubernetes/node-steps.ts';
import type { NodeStatus } from '../src/node/status/node-status.ts';
import { type NodeSteps, STEPS_PATH } from '../src/node/status/steps-file.ts';
import { STANDBY_TAG } from '../src/vms/qemu/machine/metadata.ts';
import { parseHealth } from '../src/vms/qemu/metadata-service/health.ts';
import { bootNode, type NodeGuest } from './labs/node-guest.ts';
import { KUBELET_SEEN, KUBERNETES_VERSION } from './labs/node-image-files.ts';

const LONG_MS = 60 * 60_000;
const TEST_MS = 20 * 60_000;
const isCampaign = process.env.HEADSTART_CAMPAIGN === 'full';
/** After the node was asked to read its metadata; a change takes some seconds. */
const CUTS = isCampaign
  ? requestedSeeds('1-20').map((seed) => ({
      name: `seed ${seed}, after`,
      cutMs: Math.round(random({ random: seed }) * 12_000),
    }))
  : [1500, 4000].map((cutMs) => ({ name: 'after', cutMs }));

/** Steps of the daemon that read nothing from the node. */
const GETTING_READY = ['start', 'load', 'turn'];

/** All characters that are special to systemd or a shell. */
const AWKWARD = 'a"b\'c\\d$HOME`e%n;f#g{h}*~&|<>!';

const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl admin';

let node: NodeGuest;
let bootId: string;
let generation = 1;

/** One change of every kind that needs a separate right, to prove that the sandbox of the daemon's unit allows it. */
const SAME = {
  os: {
    modules: { br_netfilter: {} },
    swap: { size: '64Mi', behavior: 'LimitedSwap' },
    limits: { nofile: { soft: 65_536, hard: 65_536 } },
  },
  ssh: { authorizedKeys: { root: [SSH_KEY] } },
  units: {
    'e2e-app.service': {
      content: '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n',
      enabled: true,
      active: true,
    },
  },
};

/** kubelet has ten of them. */
const verbosityOf = (number: number) => 1 + (number % 9);

/** Values that differ between generations, in all kinds of places: a file, the kernel, kubelet's configuration and flags. */
function documentOf(number: number, units: object = {}): string {
  return JSON.stringify({
    apiVersion: 'headstart.dev/v1',
    kind: 'NodeConfig',
    metadata: { generation: number },
    spec: {
      kubernetes: { version: KUBERNETES_VERSION },
      kubelet: {
        containerLogMaxFiles: 10 + number,
        verbosity: verbosityOf(number),
        flags: { 'cloud-provider': AWKWARD },
      },
      os: { ...SAME.os, sysctls: { 'vm.max_map_count': 262_144 + number } },
      files: { '/etc/headstart-e2e': { content: `${number}\n` } },
      ssh: SAME.ssh,
      units: { ...SAME.units, ...units },
      update: {
        pollEvery: '5s',
        health: {
          requireNodeReady: false,
          readyWithin: '3min',
          maxRestarts: 3,
          restartsWithin: '5min',
          commitAfter: '5s',
        },
      },
    },
  });
}

/** The node's values in all places; the test fails unless all belong to one generation. */
async function generationSeen(): Promise<number> {
  const text = await node.sh(
    `cat /etc/headstart-e2e /proc/sys/vm/max_map_count /etc/sysctl.d/*headstart* ${KUBELET_SEEN}/config ${KUBELET_SEEN}/flags /etc/default/kubelet`,
  );
  const number = Number(text.split('\n', 1)[0]);
  expect(text).toContain(`\n${262_144 + number}\n`);
  expect(text).toMatch(new RegExp(`vm\\.max_map_count ?= ?${262_144 + number}\n`));
  expect(text).toMatch(new RegExp(`"containerLogMaxFiles": ?${10 + number}\\b`));
  expect(text.match(/--v=\d+/g)?.map((flag) => Number(flag.slice(4)))).toEqual(Array(2).fill(verbosityOf(number)));
  return number;
}

const startsOfKubelet = async () => (await node.sh(`cat ${KUBELET_SEEN}/starts`)).split('\n').length - 1;
const bootIdNow = async () => (await node.sh('cat /proc/sys/kernel/random/boot_id')).trim();
/** No change is in progress, and a rolled back document is not retried. */
const isAtRest = ({ phase, code }: NodeStatus) =>
  ['Applied', 'RolledBack'].includes(phase) || code === 'plan/known-bad';

beforeAll(async () => {
  node = await bootNode('nodeconfig', documentOf(generation));
  bootId = await bootIdNow();
}, LONG_MS);
afterAll(() => node?.end(), TEST_MS);

describe('a VM with user data only', { timeout: TEST_MS }, () => {
  it('becomes the node of that document, and reports it', async () => {
    const status = await node.awaitStatus('the first generation', ({ lastKnownGood }) => lastKnownGood !== undefined);
    expect(status).toMatchObject({ phase: 'Applied', isReady: true, active: { generation: 1 }, bad: [] });
    expect(status.clone?.code).toBe('clone/new-identity');
    expect(await generationSeen()).toBe(1);
    expect((await node.sh('hostname')).trim()).toBe(node.name);
  });

  it('has the settings that need special rights: a module, swap, ssh keys, a running unit', async () => {
    expect(await node.sh('grep -c ^br_netfilter /proc/modules')).toBe('1\n');
    expect((await node.sh('swapon --show=SIZE --noheadings')).trim()).toBe('64M');
    expect(await node.sh('sshd -T | grep -i ^authorizedkeysfile; cat /etc/ssh/authorized_keys.d/root')).toContain(
      SSH_KEY,
    );
    expect(await node.sh('systemctl is-active e2e-app; systemctl is-enabled e2e-app')).toBe('active\nenabled\n');
  });

  it('is configured without cloud-init, after the clone check, before kubelet, in parallel with containerd', async () => {
    const units = ['headstart-clone-check.service', 'headstart-node.service', 'kubelet.service', 'containerd.service'];
    const text = await node.sh(
      `systemctl show --property=InactiveExitTimestampMonotonic --property=ActiveEnterTimestampMonotonic ${units.join(' ')}`,
    );
    const times = text.split('\n\n').map((block) => {
      const of = (key: string) => Number(new RegExp(`^${key}TimestampMonotonic=(\\d+)$`, 'm').exec(block)![1]);
      return { started: of('InactiveExit'), active: of('ActiveEnter') };
    });
    const [check, daemon, kubelet, containerd] = times as [Times, Times, Times, Times];
    // The daemon starts in parallel with the clone check, and touches the node only after it.
    const { steps } = JSON.parse(await node.sh(`cat /${STEPS_PATH}`)) as NodeSteps;
    const begun = Math.min(...steps.filter(({ name }) => !GETTING_READY.includes(name)).map(({ startUs }) => startUs));
    expect(begun).toBeGreaterThanOrEqual(check.active);
    expect(kubelet.started).toBeGreaterThanOrEqual(daemon.active);
    expect(containerd.started).toBeLessThan(daemon.active);
    expect(await node.sh('ls /run/cloud-init 2>/dev/null | grep -c result || true')).toBe('0\n');
    expect(await node.sh('systemctl is-active headstart-node-ready.target')).toBe('active\n');
  });

  it('reports ready to the platform once, after kubelet has started', async () => {
    const reports = parseHealth(node.health());
    expect(reports.map(({ state }) => state)).toEqual(['Ready']);
    const [kubeletMs, nowMs] = (
      await node.sh('date -d "$(systemctl show --value --property=ActiveEnterTimestamp kubelet)" +%s000; date +%s%3N')
    )
      .trim()
      .split('\n')
      .map(Number) as [number, number];
    // The guest's clock and ours are the same to within the second that systemd prints.
    expect(Math.abs(nowMs - systemClock.nowMs())).toBeLessThan(120_000);
    expect(reports[0]!.atMs).toBeGreaterThanOrEqual(kubeletMs - 1000);
  });

  it('starts kubelet with exactly the words of its flags file, as systemd reads it', async () => {
    const flags = (await node.sh(`cat ${KUBELET_SEEN}/flags`)).trim().split('\n');
    expect(flags).toContain(`--cloud-provider=${AWKWARD}`);
    expect(flags).toContain('--config-dir=/etc/kubernetes/kubelet/config.d');
    for (const flag of flags) expect(flag).toMatch(/^--[a-z-]+=\S+$/);
  });

  it('writes its steps for boot analysis, and no secret that others can read', async () => {
    const input = memoryInput('steps.json', await node.sh('cat /run/headstart/steps.json'));
    expect(recognise(input)?.kind).toBe('node-steps');
    const [told] = nodeStepsSource.parse(input);
    expect(told?.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['fetch', 'read', 'apply', 'ready']));
    expect(told?.notes).toEqual([]);
    expect(await node.sh('stat -c "%a %U %n" /run/headstart/control/node.sock /var/lib/headstart/node')).toMatch(
      /^600 root .*\n700 root .*\n$/,
    );
  });

  it('runs the daemon in its sandbox: it cannot write where a document may not', async () => {
    const pid = (await node.sh('systemctl show --value --property=MainPID headstart-node')).trim();
    const inside = (argv: string) => `nsenter --target ${pid} --mount -- ${argv} 2>&1 || true`;
    expect(await node.sh(inside('touch /usr/bin/x'))).toContain('Read-only file system');
    expect(await node.sh(inside('touch /etc/x && echo written'))).toBe('written\n');
    const memoryKb = Number(/VmRSS:\s+(\d+)/.exec(await node.sh(`cat /proc/${pid}/status`))![1]);
    expect(memoryKb).toBeLessThan(80 * 1024);
  });
});

interface Times {
  started: number;
  active: number;
}

describe('a process in its own network namespace, like a pod', { timeout: TEST_MS }, () => {
  const ASK = "curl -s -m 20 -o /dev/null -w '%{http_code} ' -H Metadata:true http://169.254.169.254/metadata/versions";

  it('cannot reach the metadata address, which the host can, and which it could without the rule', async () => {
    await node.sh(`ip netns add pod
ip link add veth-host type veth peer name veth-pod netns pod
ip addr add 10.200.0.1/24 dev veth-host; ip link set veth-host up
ip -n pod addr add 10.200.0.2/24 dev veth-pod; ip -n pod link set veth-pod up; ip -n pod link set lo up
ip -n pod route add default via 10.200.0.1
echo 1 >/proc/sys/net/ipv4/ip_forward
nft add table ip nat
nft 'add chain ip nat out { type nat hook postrouting priority 100; }'
nft add rule ip nat out ip saddr 10.200.0.0/24 masquerade`);
    expect(await node.sh(`${ASK}; echo`)).toBe('200 \n');
    expect(await node.sh(`ip netns exec pod ${ASK} || echo refused with $?`)).toBe('000 refused with 7\n');
    const wire = 'curl -s -m 20 -o /dev/null http://168.63.129.16/?comp=versions || echo refused with $?';
    expect(await node.sh(`ip netns exec pod ${wire}`)).toBe('refused with 7\n');
    await node.sh('nft list table inet headstart_metadata >/run/rules; nft delete table inet headstart_metadata');
    try {
      expect(await node.sh(`ip netns exec pod ${ASK}; echo`)).toBe('200 \n');
    } finally {
      await node.sh('nft list table inet headstart_metadata >/dev/null 2>&1 || nft -f /run/rules');
    }
  });
});

describe('new user data on a running VM', { timeout: TEST_MS }, () => {
  it('is applied in place: no reboot, kubelet restarted once', async () => {
    const before = await startsOfKubelet();
    generation++;
    await node.deliver(documentOf(generation));
    await node.awaitStatus('the change', ({ lastKnownGood }) => lastKnownGood?.generation === generation);
    expect(await generationSeen()).toBe(generation);
    expect(await bootIdNow()).toBe(bootId);
    expect(await startsOfKubelet()).toBe(before + 1);
  });

  it('is rolled back when kubelet does not start with it, and is not retried', async () => {
    const broken = { 'kubelet.service': { dropIns: { '50-broken.conf': '[Service]\nExecStartPre=/bin/false\n' } } };
    await node.deliver(documentOf(generation + 1, broken));
    const status = await node.awaitStatus('the rollback', (now) => now.bad.length > 0 && isAtRest(now));
    expect(status).toMatchObject({ active: { generation }, bad: [{ generation: generation + 1 }] });
    expect(await generationSeen()).toBe(generation);
    expect(await bootIdNow()).toBe(bootId);
    const before = await startsOfKubelet();
    await node.sh('systemctl reload headstart-node');
    expect((await node.awaitStatus('a look at it again', isAtRest)).active?.generation).toBe(generation);
    expect(await startsOfKubelet()).toBe(before);
    generation++;
  });

  it('that cannot be read changes nothing, and is reported', async () => {
    await node.deliver('{"apiVersion": "headstart.dev/v1", "kind": "NodeConfig", "metadata": {"generation": 99');
    const status = await node.awaitStatus('the refusal', ({ code }) => code.startsWith('config/'));
    expect(['config/truncated', 'config/not-readable']).toContain(status.code);
    expect(status.active?.generation).toBe(generation - 1);
  });
});

describe('a power cut in the middle of a change', { timeout: TEST_MS * CUTS.length }, () => {
  const title = 'leaves the old or the new generation, whole: $name $cutMs ms';
  it.each(CUTS)(title, { timeout: TEST_MS }, async ({ cutMs }) => {
    const before = (await node.status()).active!.generation;
    generation++;
    await node.deliver(documentOf(generation));
    await node.sh('systemctl reload headstart-node');
    await systemClock.sleep(cutMs);
    await node.cutPower();
    await node.startAgain();
    const status = await node.awaitStatus(
      'rest after a power cut',
      (now) => isAtRest(now) && now.active?.hash === now.lastKnownGood?.hash,
    );
    const seen = await generationSeen();
    expect([before, generation]).toContain(seen);
    expect(status.active?.generation).toBe(seen);
    expect(await node.sh('systemctl is-active kubelet containerd headstart-node')).toBe('active\nactive\nactive\n');
  });
});

describe('a VM in a standby pool', { timeout: TEST_MS }, () => {
  let parked: NodeGuest;
  beforeAll(async () => {
    const options = { readyUnit: 'headstart-node.service', tags: { [STANDBY_TAG]: 'true' } };
    parked = await bootNode('nodestandby', documentOf(1), options);
  }, LONG_MS);
  afterAll(() => parked?.end(), TEST_MS);

  const kubelet = async () => (await parked.sh('systemctl is-active kubelet || true')).trim();
  const motd = async () => (await parked.sh('cat /etc/headstart-e2e')).trim();
  const isPrepared = ({ code }: NodeStatus) => code === 'standby/waiting';

  it('is configured and reports ready to the platform, but kubelet does not start', async () => {
    const { standby, isReady } = await parked.awaitStatus('standby', isPrepared);
    expect([standby?.where, standby?.isConfirmed, isReady]).toEqual(['pool', true, false]);
    expect([await kubelet(), await motd()]).toEqual(['inactive', '1']);
    expect(await parked.sh('systemctl is-active headstart-node containerd; test ! -e /run/headstart/ready')).toBe(
      'active\nactive\n',
    );
    expect(parseHealth(parked.health()).map(({ state }) => state)).toEqual(['Ready']);
    expect(await parked.sh('headstart node status')).toContain('in standby since ');
  });

  it('is still in standby after a power cut, and applies a document that changed meanwhile', async () => {
    await parked.cutPower();
    await parked.deliver(documentOf(2));
    await parked.startAgain();
    await parked.awaitStatus('standby after a reboot', (now) => isPrepared(now) && now.active?.generation === 2);
    expect([await kubelet(), await motd()]).toEqual(['inactive', '2']);
  });

  it('starts kubelet within five seconds of its claim, and says when', async () => {
    parked.setMetadata({ isVmInStandbyPool: false });
    const claimedMs = systemClock.nowMs();
    const { standby } = await parked.awaitStatus('the claim', ({ isReady }) => isReady);
    expect(Date.parse(standby!.joinedAt!) - Date.parse(standby!.leftAt!)).toBeLessThan(1000);
    await parked.sh('for i in $(seq 60); do systemctl is-active -q kubelet && exit 0; sleep 0.5; done; exit 1');
    const startedMs = Number(
      await parked.sh('date -d "$(systemctl show --value --property=ActiveEnterTimestamp kubelet)" +%s%3N'),
    );
    // systemd prints whole seconds.
    expect(startedMs - claimedMs).toBeLessThan(5000);
    expect(await parked.sh('journalctl -u headstart-node -o cat')).toMatch(
      /left standby after [\d.]+ s: the metadata said so[\s\S]*started kubelet [\d.]+ s after the instance left standby/,
    );
    const { lastKnownGood } = await parked.awaitStatus('a healthy node', (now) => now.lastKnownGood !== undefined);
    expect(lastKnownGood?.generation).toBe(2);
    const { steps } = JSON.parse(await parked.sh(`cat /${STEPS_PATH}`)) as NodeSteps;
    expect(steps.map(({ name }) => name)).toEqual(expect.arrayContaining(['standby', 'join']));
    expect(await parked.sh('test ! -e /var/lib/headstart/node/standby.json && echo gone')).toBe('gone\n');
  });
});
