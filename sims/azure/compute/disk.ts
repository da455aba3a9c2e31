// sims/azure/compute/disk.ts: what is on the OS disk of a simulated instance? The files of a plain Ubuntu VM that headstart reads.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { objectAt, stringAt } from '../service/json.ts';
import type { SimInstance } from '../world.ts';
import { agentFiles, type InstalledExtension } from './extension-settings.ts';

type ProvisioningState = Pick<SimInstance, 'computerName' | 'vmId'> & {
  birth: Pick<SimInstance['birth'], 'customData'> &
    Partial<Pick<SimInstance['birth'], 'extensions' | 'protectedSettings'>>;
};

/** The folder stands for `/` of that machine. */
export function layDisk(folder: string, instance: ProvisioningState): void {
  for (const [path, text] of Object.entries(filesOf(instance))) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(join(folder, 'run'));
  chmodSync(join(folder, SYSTEMD), 0o755);
}

const SYSTEMD = '/usr/lib/systemd/systemd';

function filesOf({ computerName, vmId, birth }: ProvisioningState): Record<string, string> {
  const ownId = (what: string) => createHash('sha256').update(`${what} of ${vmId}`).digest('hex').slice(0, 32);
  return {
    '/sys/class/dmi/id/product_uuid': `${vmId}\n`,
    '/proc/sys/kernel/hostname': `${computerName}\n`,
    [SYSTEMD]: '',
    '/etc/os-release': 'ID=ubuntu\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04.3 LTS"\n',
    '/etc/machine-id': `${ownId('machine-id')}\n`,
    '/etc/hostname': `${computerName}\n`,
    '/etc/hosts': '127.0.0.1 localhost\n',
    '/etc/cloud/cloud.cfg': 'datasource_list: [Azure]\n',
    '/etc/netplan/50-cloud-init.yaml': 'network:\n  version: 2\n  ethernets:\n    eth0: {dhcp4: true}\n',
    '/etc/ssh/ssh_host_ed25519_key': `simulated key ${ownId('ssh host key')}\n`,
    '/etc/ssh/ssh_host_ed25519_key.pub': `simulated key ${ownId('ssh host key')}\n`,
    '/var/lib/cloud/data/instance-id': `${vmId}\n`,
    '/var/lib/waagent/provisioned': vmId,
    '/var/lib/waagent/ovf-env.xml': ovfEnv(computerName, birth.customData),
    ...agentFiles(installed(birth)),
    '/var/log/syslog': `${computerName} systemd[1]: Startup finished\n`,
  };
}

function installed({ extensions = [], protectedSettings = {} }: ProvisioningState['birth']): InstalledExtension[] {
  return extensions.map((extension) => {
    const name = stringAt(extension, 'name') ?? '';
    return {
      name,
      publisher: stringAt(extension, 'properties', 'publisher') ?? '',
      type: stringAt(extension, 'properties', 'type') ?? '',
      settings: objectAt(extension, 'properties', 'settings'),
      protectedSettings: protectedSettings[name],
    };
  });
}

/** How the platform hands custom data to an instance. */
function ovfEnv(computerName: string, customData = ''): string {
  return `<Environment xmlns:wa="http://schemas.microsoft.com/windowsazure"><wa:ProvisioningSection>
<LinuxProvisioningConfigurationSet xmlns="http://schemas.microsoft.com/windowsazure">
<HostName>${computerName}</HostName><CustomData>${customData}</CustomData>
</LinuxProvisioningConfigurationSet></wa:ProvisioningSection></Environment>
`;
}
