// identity/items.ts: which items identify a machine, does it do harm to share one, and what replaces it?

export interface ItemFacts {
  /** As in a sentence: `a and b share the machine-id`. */
  title: string;
  /** Two machines may share it; the judgement says so in a note. */
  isHarmless?: true;
  /** Why sharing it does harm, or why it does not. */
  why: string;
  /** One sentence: which command or event replaces it. */
  remedy: string;
}

const JOIN_AGAIN =
  'stop kubelet, delete /var/lib/kubelet/pki/kubelet-client-* and /var/lib/kubelet/kubeconfig, and start kubelet with a bootstrap token, so that it joins again';

/** In output order. */
export const ITEMS = {
  'machine-id': {
    title: 'the machine-id',
    why: 'the journal, DHCP and the Node object identify the machine by it',
    remedy:
      'delete /etc/machine-id and /var/lib/dbus/machine-id, run `systemd-machine-id-setup` and reboot; the clone check of a prototype does that at boot',
  },
  'boot-id': {
    title: 'the boot id',
    why: 'both machines continue the same boot, and the Node object and the journal identify a boot by it',
    remedy:
      'reboot, which draws a new one; where the memory must be kept, mount a file with a new one on /proc/sys/kernel/random/boot_id before kubelet starts',
  },
  'product-uuid': {
    title: 'the SMBIOS UUID',
    why: 'cloud controllers and the clone check tell machines from their copies by it',
    remedy: 'give the VM its own UUID on the hypervisor (`-uuid` of QEMU), then power it off and on',
  },
  'host-name': {
    title: 'the host name',
    why: 'kubelet registers its Node by this name, and the machines would take turns in overwriting it',
    remedy: 'run `hostnamectl set-hostname NAME` on one of them, then let its kubelet join again',
  },
  'mac-address': {
    title: 'the MAC address',
    why: 'a network delivers the packets of both to one of them, and DHCP gives both the same address',
    remedy: 'give the network interface its own MAC address on the hypervisor, then power the VM off and on',
  },
  'ip-address': {
    title: 'the IP address',
    why: 'connections to one reach the other',
    remedy:
      'run `networkctl reconfigure INTERFACE` on one of them, which asks for a new lease; `networkctl renew` keeps the address',
  },
  'dhcp-client': {
    title: 'the DHCP client id',
    why: 'a DHCP server gives both the same address; systemd-networkd derives the id from the machine-id when it starts',
    remedy: 'replace the machine-id, then run `systemctl restart systemd-networkd`, which derives a new id',
  },
  'dhcp-lease': {
    title: 'the DHCP lease',
    why: 'both use an address that was leased to one of them',
    remedy: 'run `networkctl reconfigure INTERFACE` on one of them, which asks for a new lease',
  },
  'ssh-host-key': {
    title: 'the SSH host key',
    why: 'one machine can impersonate the other',
    remedy: 'run `rm /etc/ssh/ssh_host_*_key* && ssh-keygen -A`, then restart sshd',
  },
  'kubelet-key': {
    title: "the key of kubelet's client certificate",
    why: 'one node can act as the other in the cluster',
    remedy: JOIN_AGAIN,
  },
  'kubelet-certificate': {
    title: "kubelet's client certificate",
    why: 'both are the same node for the cluster',
    remedy: JOIN_AGAIN,
  },
  'node-name': {
    title: "the Node that kubelet's certificate names",
    why: 'both report the status of one Node',
    remedy: `run \`hostnamectl set-hostname NAME\` on one of them, then ${JOIN_AGAIN}`,
  },
  'random-seed': {
    title: 'the random-seed file',
    why: 'the next boots of both start with the same seed',
    remedy: 'run `systemctl restart systemd-random-seed.service`, which writes a new one',
  },
  'random-bytes': {
    title: 'fresh random bytes',
    why: 'both kernels draw the same random numbers, so keys made from now on can be equal',
    remedy:
      'add entropy of the host and reseed (ioctl RNDADDENTROPY and RNDRESEEDCRNG on /dev/urandom) before anything else runs, as a claim does, or reboot; then replace the keys that were made meanwhile',
  },
  'invocation-id': {
    title: 'invocation ids of units',
    isHarmless: true,
    why: 'these units started before the machines were separated; only the journal refers to the id, next to the machine-id',
    remedy: 'restart the unit if its log entries of both machines go to one place',
  },
  clock: {
    title: 'the clock',
    why: 'certificates, tokens and leases are judged by it',
    remedy:
      'run `chronyc makestep` or `systemctl restart systemd-timesyncd`; a claim of a standby node sets the clock of the guest',
  },
} as const satisfies Record<string, ItemFacts>;

export type ItemName = keyof typeof ITEMS;
/** What a machine says about itself; the clock is compared from outside. */
export type FactName = Exclude<ItemName, 'clock'>;

export const ITEM_NAMES = Object.keys(ITEMS) as readonly ItemName[];
export const FACT_NAMES = ITEM_NAMES.filter((name): name is FactName => name !== 'clock');

export const factsOfItem = (name: ItemName): ItemFacts => ITEMS[name];
