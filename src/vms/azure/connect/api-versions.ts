// vms/azure/connect/api-versions.ts: which version of each Azure API is spoken? Pinned, so that what is tested and what is sent are the same.

export const apiVersions = { compute: '2024-07-01', disks: '2024-03-02', galleries: '2024-03-03' } as const;

/** The SDK has one constant per operation and ignores the client's option, so the address is rewritten on its way out. */
export function pinApiVersion(url: string): string {
  const version = /\/Microsoft\.Compute\/(?:disks|snapshots)(?:[/?]|$)/i.test(url)
    ? apiVersions.disks
    : /\/Microsoft\.Compute\/galleries(?:[/?]|$)/i.test(url)
      ? apiVersions.galleries
      : apiVersions.compute;
  // Addresses of operations are the service's own and signed: they are followed as they came.
  if (isOperationAddress(url)) return url;
  return url.replace(/([?&]api-version=)[^&]*/i, `$1${version}`);
}

export function isOperationAddress(url: string): boolean {
  return /\/locations\/[^/]+\/(?:operations|DiskOperations|capsOperations)\//i.test(url);
}
