// sims/azure/service/api-versions.ts: which api-versions are served? Only those whose specification the referee has, and those of Microsoft.Authorization, which it checks itself.
import { ArmError } from './arm-error.ts';

export type Provider = 'compute' | 'disk' | 'gallery' | 'permissions' | 'locks';

export const API_VERSIONS: Readonly<Record<Provider, string>> = {
  compute: '2024-07-01',
  disk: '2024-03-02',
  gallery: '2024-03-03',
  permissions: '2022-04-01',
  locks: '2016-09-01',
};

export function requireApiVersion(provider: Provider, asked: string | null): string {
  const supported = API_VERSIONS[provider];
  if (asked === supported) return asked;
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
    `The api-version '${asked}' is invalid. The supported versions are '${supported}'.`,
  );
}
