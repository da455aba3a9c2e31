// vms/qemu/machine/provisioning-disk.ts: what is on an instance's provisioning disk? An ovf-env.xml, as on Azure.
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunCommand } from '../../../base/command.ts';
import { writeFileAtomic } from '../../../base/files.ts';
import { runTool } from '../../../host/run-tool.ts';
import { partialPrefix } from '../../../host/whole-folders.ts';
import { instanceFiles } from '../home/layout.ts';

export interface ProvisioningSettings {
  hostName: string;
  userName: string;
  publicKeys: readonly string[];
  /** base64 */
  customData?: string;
}

/** Replaces an existing disk. */
export async function makeProvisioningDisk(
  { run, signal }: { run: RunCommand; signal?: AbortSignal | undefined },
  folder: string,
  provisioning: ProvisioningSettings,
): Promise<void> {
  const work = await mkdtemp(join(folder, `${partialPrefix}provisioning-`));
  try {
    const made = join(work, 'made.iso');
    writeFileAtomic(join(work, 'ovf-env.xml'), ovfEnvironment(provisioning), 0o600);
    // Name the one file: the folder also holds the image being made.
    await runTool(
      run,
      [
        'genisoimage',
        '-quiet',
        '-output',
        made,
        '-volid',
        'provisioning',
        '-joliet',
        '-rock',
        join(work, 'ovf-env.xml'),
      ],
      signal,
    );
    await chmod(made, 0o600); // custom data may hold a secret
    await rename(made, join(folder, instanceFiles.provisioning));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

export function ovfEnvironment({ hostName, userName, publicKeys, customData }: ProvisioningSettings): string {
  const keys = publicKeys.map(
    (key) => `
          <PublicKey>
            <Fingerprint></Fingerprint>
            <Path>${escaped(`/home/${userName}/.ssh/authorized_keys`)}</Path>
            <Value>${escaped(key)}</Value>
          </PublicKey>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Environment xmlns="http://schemas.dmtf.org/ovf/environment/1" xmlns:wa="http://schemas.microsoft.com/windowsazure">
  <wa:ProvisioningSection>
    <wa:Version>1.0</wa:Version>
    <LinuxProvisioningConfigurationSet xmlns="http://schemas.microsoft.com/windowsazure">
      <ConfigurationSetType>LinuxProvisioningConfiguration</ConfigurationSetType>
      <HostName>${escaped(hostName)}</HostName>
      <UserName>${escaped(userName)}</UserName>
      <DisableSshPasswordAuthentication>true</DisableSshPasswordAuthentication>
      <SSH>
        <PublicKeys>${keys.join('')}
        </PublicKeys>
      </SSH>${customData ? `\n      <CustomData>${escaped(customData)}</CustomData>` : ''}
    </LinuxProvisioningConfigurationSet>
  </wa:ProvisioningSection>
  <wa:PlatformSettingsSection>
    <wa:Version>1.0</wa:Version>
    <PlatformSettings xmlns="http://schemas.microsoft.com/windowsazure">
      <ProvisionGuestAgent>false</ProvisionGuestAgent>
      <PreprovisionedVm>false</PreprovisionedVm>
    </PlatformSettings>
  </wa:PlatformSettingsSection>
</Environment>
`;
}

function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
