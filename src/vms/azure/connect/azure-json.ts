// vms/azure/connect/azure-json.ts: parse the cluster's cloud provider file (azure.json).
import { z } from 'zod';
import { UserError } from '../../../base/errors.ts';
import { Secret } from '../../../base/secret.ts';

const text = z.string().trim().transform(emptyIsAbsent).optional();
const flag = z.union([z.boolean(), z.stringbool()]).optional().default(false);

/** Fields of the Kubernetes cloud provider for Azure; unknown fields are ignored. */
const schema = z.object({
  cloud: text,
  tenantId: text,
  subscriptionId: text,
  resourceGroup: text,
  aadClientId: text,
  aadClientSecret: text.transform((value) => (value === undefined ? undefined : new Secret(value))),
  aadClientCertPath: text,
  useManagedIdentityExtension: flag,
  userAssignedIdentityID: text,
  useFederatedWorkloadIdentityExtension: flag,
  aadFederatedTokenFile: text,
  resourceManagerEndpoint: text,
});

export type AzureJson = z.infer<typeof schema>;

export function parseAzureJson(fileText: string, fileName: string): AzureJson {
  const parsed = schema.safeParse(asObject(fileText, fileName));
  if (parsed.success) return parsed.data;
  // Paths and reasons only: values may include a password.
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new UserError(`${fileName} is not a cloud provider configuration: ${problems.join('; ')}`, {
    code: 'azure/bad-azure-json',
    kept: 'Nothing was touched.',
    next: 'correct the file, or name another with --azure-json',
  });
}

function asObject(fileText: string, fileName: string): unknown {
  // AKS Engine wrote these files with a byte order mark.
  const withoutMark = fileText.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(withoutMark);
  } catch {
    // No cause: the parser's message quotes the text around the mistake, which may be the password.
    throw new UserError(`${fileName} is not JSON`, { code: 'azure/bad-azure-json', kept: 'Nothing was touched.' });
  }
}

function emptyIsAbsent(value: string): string | undefined {
  return value === '' ? undefined : value;
}
