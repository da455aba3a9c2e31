// node/metadata/ovf-environment.testing.ts: the ovf-env.xml that Azure writes on the provisioning disk of an instance.

export const environment = (customData?: string) => `<?xml version="1.0" encoding="utf-8"?>
<Environment xmlns="http://schemas.dmtf.org/ovf/environment/1" xmlns:wa="http://schemas.microsoft.com/windowsazure">
  <wa:ProvisioningSection><wa:Version>1.0</wa:Version>
    <LinuxProvisioningConfigurationSet xmlns="http://schemas.microsoft.com/windowsazure">
      <HostName>node-1</HostName><UserPassword>hunter2</UserPassword>
      ${customData === undefined ? '' : `<CustomData>${Buffer.from(customData).toString('base64')}</CustomData>`}
    </LinuxProvisioningConfigurationSet>
  </wa:ProvisioningSection>
</Environment>
`;
