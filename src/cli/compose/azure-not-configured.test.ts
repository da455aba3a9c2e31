import { expect, it } from 'vitest';
import { run } from '../testing.ts';
import { refuseWithoutAzure } from './azure-not-configured.ts';

const deps = (env: Record<string, string>) => ({ env }) as unknown as Parameters<typeof refuseWithoutAzure>[1];

it('without any Azure setting, the error names the command for this machine', async () => {
  const { code, stderr } = await run(['image', 'list', '--gallery', 'mine'], { env: { HOME: '/nowhere' } });
  expect(code).toBe(2);
  expect(stderr).toContain('Azure is not configured: no subscription');
  expect(stderr).toContain('headstart image list --gallery mine --vms qemu (HEADSTART_VMS=qemu for every command)');
  expect(stderr).toContain('code:  azure/bad-settings');
});

it.each([
  [{ vms: 'azure' as const }, {}],
  [{ subscription: 's' }, {}],
  [{ azureJson: 'azure.json' }, {}],
  [{}, { AZURE_RESOURCE_GROUP: 'g' }],
  [{}, { HEADSTART_VMS: 'azure' }],
])('%j with %j counts as configured', (options, env) => {
  expect(() => refuseWithoutAzure(options, deps(env))).not.toThrow();
});
