// boot/questions/module-advice.ts: how does a node get around one module of cloud-init, and what does it lose?
export interface Advice {
  /** A command to type, or the change to make. */
  command: string;
  /** One phrase. */
  risk: string;
  confidence: 'high' | 'medium' | 'low';
  /** Why not more, or why so high. */
  because: string;
}

/** `name`: as spans name it, `config-grub-dpkg` or `config-grub_dpkg`. Undefined if a node needs the module. */
export function moduleAdvice(name: string): Advice | undefined {
  const module = moduleOf(name);
  if (module === undefined || NEEDED.has(module)) return undefined;
  return SWITCHES[module] ?? SCRIPTS[module] ?? removal(module);
}

/** True if its work moves to the build of the image, with all that it starts. */
export function movesToImage(name: string): boolean {
  return Object.hasOwn(SCRIPTS, moduleOf(name) ?? '');
}

function moduleOf(name: string): string | undefined {
  return /^config-([\w-]+)$/.exec(name)?.[1]?.replaceAll('_', '-'); // cloud-init 23.1 renamed grub-dpkg to grub_dpkg
}

/**
 * Users, keys, disks, names and time; hooks of the vendor and of the image; and final-message, which writes the boot-finished file
 * that tools wait for. A node without one of them does not work, cannot be reached, or never counts as booted.
 */
const NEEDED: ReadonlySet<string> = new Set(
  (
    'ssh ssh-authkey-fingerprints users-groups set-passwords growpart resizefs disk-setup mounts write-files ' +
    'write-files-deferred bootcmd set-hostname update-hostname update-etc-hosts seed-random rsyslog ca-certs resolv-conf ' +
    'ntp migrator install-hotplug disable-ec2-metadata scripts-vendor scripts-per-once scripts-per-boot scripts-per-instance ' +
    'power-state-change final-message'
  ).split(' '),
);

/** Modules with a switch of their own: a file in cloud.cfg.d is enough, and an update of the package keeps it. */
const SWITCHES: Readonly<Record<string, Advice>> = {
  'grub-dpkg': {
    command: `printf 'grub_dpkg: {enabled: false}\\n' | sudo tee /etc/cloud/cloud.cfg.d/90-no-grub-dpkg.cfg`,
    risk: 'an update of grub may not know its disk',
    confidence: 'high',
    because: 'modules run one after another, so its time is gone',
  },
  'keys-to-console': {
    command: `printf 'ssh: {emit_keys_to_console: false}\\n' | sudo tee /etc/cloud/cloud.cfg.d/90-no-keys-to-console.cfg`,
    risk: 'SSH host keys are not printed on the console',
    confidence: 'high',
    because: 'modules run one after another, so its time is gone',
  },
  'apt-configure': {
    command: `printf 'apt: {preserve_sources_list: true}\\n' | sudo tee /etc/cloud/cloud.cfg.d/90-keep-apt-sources.cfg`,
    risk: 'apt uses the sources of the image',
    confidence: 'medium',
    because: 'the module still runs and looks for a mirror: the saving is an upper bound',
  },
};

const USER_DATA = 'the image then takes longer to build, and the saving holds only if nothing is left to do at boot';

/** The time is that of what the user data asks for, not of the module: removing the module would drop that too. */
const SCRIPTS: Readonly<Record<string, Advice>> = {
  'scripts-user': {
    command: 'do what runcmd and the scripts of the user data do while the node image is built, and remove them there',
    risk: 'the result of the scripts is as old as the image',
    confidence: 'medium',
    because: USER_DATA,
  },
  'package-update-upgrade-install': {
    command:
      'install the packages while the node image is built; remove packages and package_upgrade from the user data',
    risk: 'packages are as old as the image',
    confidence: 'medium',
    because: USER_DATA,
  },
};

/** A list in cloud.cfg.d replaces the whole list, so an override would also drop what later versions of cloud-init add to it. */
function removal(module: string): Advice {
  return {
    command: `in the node image, delete ${module} from its list of modules in /etc/cloud/cloud.cfg`,
    risk: `what the cloud-init module ${module} does is not done`,
    confidence: 'medium',
    because: 'modules run one after another, so its time is gone; a list in cloud.cfg.d would replace the whole list',
  };
}
