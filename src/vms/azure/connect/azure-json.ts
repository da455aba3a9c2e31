// vms/azure/connect/azure-json.ts: what does the cluster's cloud provider file say about the cloud and how to log in?
import { z } from 'zod';
import { UserError } from '../../../base/errors.ts';
import { Secret } from '../../../base/secret.ts';

const text = z.string().trim().transform(emptyIsAbsent).optional();
const flag = z.union([z.boolean(), z.stringbool()]).optional().default(false);

/** As the Kubernetes cloud provider for Azure reads it; unknown fields are its own business. */
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
  // Only where and why: the values of this file include a password.
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new UserError(`${fileName} is not a cloud provider configuration: ${problems.join('; ')}`, {
    code: 'azure/bad-azure-json',
    kept: 'Nothing was touched.',
    next: 'correct the file, or name another with --azure-json',
  });
}

function asObject(fileText: string, fileName: string): unknown {
  // The files that AKS Engine wrote begin with a byte order mark.
  const withoutMark = fileText.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(withoutMark);
  } catch {
    // The parser's message quotes the text around the mistake, which may be the password: it is not passed on.
    throw new UserError(`${fileName} is not JSON`, { code: 'azure/bad-azure-json', kept: 'Nothing was touched.' });
  }
}

function emptyIsAbsent(value: string): string | undefined {
  return value === '' ? undefined : value;
}
