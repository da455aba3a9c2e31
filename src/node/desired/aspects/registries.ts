// node/desired/aspects/registries.ts: which registries and mirrors does containerd pull from? One folder per registry, which containerd reads at every pull.

import type { JsonObject } from '../../../schema/json.ts';
import type { RegistryMirror, RegistrySpec } from '../../document/config.ts';
import { renderToml } from '../toml.ts';
import type { OwnedFile } from '../tree.ts';
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

const FOLDER = '/etc/containerd/certs.d';
const READ_ON_USE = { aspect: 'containerd', class: 0, after: [] } as const;

export const registriesAspect: AspectFunction = ({ containerd }) => ({
  files: Object.entries(containerd.registries).flatMap(([host, registry]) => filesOf(host, registry)),
});

function filesOf(host: string, { server, mirrors }: RegistrySpec): OwnedFile[] {
  const folder = `${FOLDER}/${host}`;
  const authorities = mirrors.flatMap(({ certificateAuthority }, i) =>
    certificateAuthority === undefined
      ? []
      : [textFile(authorityPath(folder, i), `${certificateAuthority.trim()}\n`, READ_ON_USE)],
  );
  const hosts = {
    ...(server !== undefined && { server }),
    host: Object.fromEntries(mirrors.map((mirror, i) => [mirror.url, mirrorOf(mirror, authorityPath(folder, i))])),
  };
  return [textFile(`${folder}/hosts.toml`, HEADER + renderToml(hosts), READ_ON_USE), ...authorities];
}

function authorityPath(folder: string, index: number): string {
  return `${folder}/mirror-${index}.pem`;
}

function mirrorOf(mirror: RegistryMirror, authority: string): JsonObject {
  return {
    capabilities: mirror.capabilities,
    ...(mirror.overridePath && { override_path: true }),
    ...(mirror.skipVerify && { skip_verify: true }),
    ...(mirror.certificateAuthority !== undefined && { ca: authority }),
  };
}
