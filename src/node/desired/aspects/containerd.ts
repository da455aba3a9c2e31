// node/desired/aspects/containerd.ts: how does containerd run containers? One whole file, rendered here: a section found in an imported file
// replaces the section of the main one, so nothing can be added in pieces. Without any setting the image's own file stays.
import { Secret } from '../../../base/secret.ts';
import type { JsonObject } from '../../../schema/json.ts';
import type { ContainerdSettings, NodeConfig } from '../../document/config.ts';
import type { ImageFacts } from '../../observe/facts.ts';
import { appendProblem, renderToml } from '../toml.ts';
import type { OwnedFile } from '../tree.ts';
import { type AspectFunction, CONTAINERD, dropIn, HEADER, invalidField, textFile } from './aspect.ts';

export const CONFIG_PATH = '/etc/containerd/config.toml';
const SOCKET = 'unix:///run/containerd/containerd.sock';

export const containerdAspect: AspectFunction = (config, { image }) => {
  const { openFilesLimit, toml } = config.containerd;
  const files: OwnedFile[] = [
    textFile('/etc/crictl.yaml', `${HEADER}runtime-endpoint: ${SOCKET}\nimage-endpoint: ${SOCKET}\n`, {
      aspect: 'containerd',
      class: 0,
      after: [],
    }),
  ];
  if (openFilesLimit !== undefined) {
    const lines = ['[Service]', `LimitNOFILE=${openFilesLimit}`];
    files.push(dropIn(CONTAINERD, '20-headstart.conf', lines, { aspect: 'containerd', class: 3 }));
  }
  if (!isConfigured(config)) return { files };
  const rendered = renderToml(configOf(config, image));
  const problem = toml === undefined ? undefined : appendProblem(rendered, toml);
  const text = HEADER + rendered + (toml === undefined ? '' : `\n${toml.trimEnd()}\n`);
  files.push(
    textFile(CONFIG_PATH, holdsCredential(toml) ? new Secret(text) : text, {
      aspect: 'containerd',
      class: 5,
      notation: 'containerd-config',
      after: [{ do: 'restart', unit: CONTAINERD }],
    }),
  );
  return { files, problems: problem === undefined ? [] : [invalidField(['containerd', 'toml'], problem)] };
};

/** Credentials for registries are written in TOML when they are written at all; then the file is root's alone, and not shown. */
function holdsCredential(toml: string | undefined): boolean {
  return toml !== undefined && /auth|password|token|secret/i.test(toml);
}

function isConfigured({ containerd: settings, storage }: NodeConfig): boolean {
  const { registries, runtimes, openFilesLimit: _, ...rest } = settings;
  return (
    storage.containerdRoot !== undefined ||
    Object.keys(registries).length + Object.keys(runtimes).length > 0 ||
    Object.values(rest).some((value) => value !== undefined)
  );
}

function configOf({ containerd: settings, storage }: NodeConfig, image: ImageFacts): JsonObject {
  const isSecond = Number.parseInt(image.containerdVersion ?? '1', 10) >= 2;
  return {
    version: isSecond ? 3 : 2,
    ...(storage.containerdRoot !== undefined && { root: storage.containerdRoot }),
    // For whoever adds a section that is not here.
    imports: ['/etc/containerd/conf.d/*.toml'],
    plugins: isSecond ? secondPlugins(settings, image) : firstPlugins(settings, image),
  };
}

function firstPlugins(settings: ContainerdSettings, image: ImageFacts): JsonObject {
  return {
    'io.containerd.grpc.v1.cri': {
      sandbox_image: settings.sandboxImage ?? null,
      max_concurrent_downloads: settings.maxConcurrentDownloads ?? null,
      cni: cni(image),
      containerd: {
        default_runtime_name: settings.defaultRuntime ?? 'runc',
        snapshotter: settings.snapshotter ?? null,
        runtimes: runtimes(settings),
      },
      registry: { config_path: '/etc/containerd/certs.d' },
    },
  };
}

/** From version 2 on images and running are two plugins. */
function secondPlugins(settings: ContainerdSettings, image: ImageFacts): JsonObject {
  return {
    'io.containerd.cri.v1.images': {
      snapshotter: settings.snapshotter ?? null,
      max_concurrent_downloads: settings.maxConcurrentDownloads ?? null,
      ...(settings.sandboxImage !== undefined && { pinned_images: { sandbox: settings.sandboxImage } }),
      registry: { config_path: '/etc/containerd/certs.d' },
    },
    'io.containerd.cri.v1.runtime': {
      cni: cni(image),
      containerd: { default_runtime_name: settings.defaultRuntime ?? 'runc', runtimes: runtimes(settings) },
    },
  };
}

function cni(image: ImageFacts): JsonObject {
  return { bin_dir: image.cniBinDir, conf_dir: '/etc/cni/net.d' };
}

function runtimes(settings: ContainerdSettings): JsonObject {
  const runc = { runtime_type: 'io.containerd.runc.v2', options: { SystemdCgroup: true } };
  const added = Object.entries(settings.runtimes).map(([name, { type, options }]): [string, JsonObject] => [
    name,
    // The control groups of pods are kubelet's to name, and kubelet's driver is systemd.
    { runtime_type: type, options: type === runc.runtime_type ? { ...runc.options, ...options } : options },
  ]);
  return Object.fromEntries([['runc', runc], ...added]);
}
