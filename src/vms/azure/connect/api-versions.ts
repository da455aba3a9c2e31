// vms/azure/connect/api-versions.ts: which version of each Azure API do we use? Pinned, so that tests cover what is sent.

export const apiVersions = {
  compute: '2024-07-01',
  disks: '2024-03-02',
  galleries: '2024-03-03',
  permissions: '2022-04-01',
  locks: '2016-09-01',
  /** The first with a mix of states. */
  standbyPools: '2026-04-01',
} as const;

/** The SDK has a constant per operation and ignores the client's option, so the URL is rewritten before it is sent. */
export function pinApiVersion(url: string): string {
  // Ours, with the version that we wrote; a resource of Microsoft.Compute may be part of its path.
  if (/\/Microsoft\.(?:Authorization|StandbyPool)\//i.test(url)) return url;
  const version = /\/Microsoft\.Compute\/(?:disks|snapshots)(?:[/?]|$)/i.test(url)
    ? apiVersions.disks
    : /\/Microsoft\.Compute\/galleries(?:[/?]|$)/i.test(url)
      ? apiVersions.galleries
      : apiVersions.compute;
  // Operation URLs come from Azure and are signed: use them unchanged.
  if (isOperationAddress(url)) return url;
  return url.replace(/([?&]api-version=)[^&]*/i, `$1${version}`);
}

export function isOperationAddress(url: string): boolean {
  return /\/locations\/[^/]+\/(?:operations|DiskOperations|capsOperations|operationStatuses)\//i.test(url);
}
