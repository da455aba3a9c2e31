// sims/azure/service/api-versions.ts: which api-versions are served? Those of current clients; the referee has the specification of one of each kind.
import { ArmError } from './arm-error.ts';

export type Provider = 'compute' | 'disk' | 'gallery' | 'sku' | 'permissions' | 'locks' | 'standby';

/** With a specification: every answer has its shape, whichever version was asked for. */
export const API_VERSIONS: Readonly<Record<Provider, string>> = {
  compute: '2024-07-01',
  disk: '2024-03-02',
  gallery: '2024-03-03',
  permissions: '2022-04-01',
  locks: '2016-09-01',
  sku: '2021-07-01',
  standby: '2026-04-01',
};

/** What Microsoft's clients of the last years send: one SDK sends one of each kind, the command line a mixture. */
const SERVED: Readonly<Partial<Record<Provider, string>>> = {
  compute: `2022-08-01 2022-11-01 2023-03-01 2023-07-01 2023-09-01 2024-03-01 2024-07-01 2024-11-01 2025-04-01 2025-11-01
    2026-03-01 2026-04-01`,
  disk: '2022-07-02 2023-01-02 2023-04-02 2023-10-02 2024-03-02 2025-01-02 2026-03-02',
  gallery: '2021-10-01 2022-01-03 2022-03-03 2022-08-03 2023-07-03 2024-03-03 2025-03-03 2025-12-03 2026-03-03',
  sku: '2019-04-01 2021-07-01',
  standby: '2024-03-01 2025-03-01 2025-10-01 2026-04-01',
};

export function servedVersions(provider: Provider): string[] {
  return SERVED[provider]?.split(/\s+/) ?? [API_VERSIONS[provider]];
}

export function requireApiVersion(provider: Provider, asked: string | null): string {
  const supported = servedVersions(provider);
  if (asked !== null && supported.includes(asked)) return asked;
  if (asked === null) {
    throw new ArmError(
      400,
      'MissingApiVersionParameter',
      'The api-version query parameter (?api-version=) is required for all requests.',
    );
  }
  throw new ArmError(
    400,
    'InvalidApiVersionParameter',
    `The api-version '${asked}' is invalid. The supported versions are '${supported.join(',')}'.`,
  );
}
