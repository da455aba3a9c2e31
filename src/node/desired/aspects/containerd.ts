// node/desired/aspects/containerd.ts: which configuration does containerd have? One complete file: a section of an imported file replaces
// that section of the main file, so settings cannot be split. Without any setting, the file of the image stays.
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
    textFile(CONFIG_PATH, mayContainCredential(toml) ? new Secret(text) : text, {
      aspect: 'containerd',
      class: 5,
      notation: 'containerd-config',
      after: [{ do: 'restart', unit: CONTAINERD }],
    }),
  );
  return { files, problems: problem === undefined ? [] : [invalidField(['containerd', 'toml'], problem)] };
};

/** The TOML may contain registry credentials; then only root can read the file, and it is not shown. */
function mayContainCredential(toml: string | undefined): boolean {
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
  const isVersion2 = Number.parseInt(image.containerdVersion ?? '1', 10) >= 2;
  return {
    version: isVersion2 ? 3 : 2,
    ...(storage.containerdRoot !== undefined && { root: storage.containerdRoot }),
    // For sections that other tools add.
    imports: ['/etc/containerd/conf.d/*.toml'],
    plugins: isVersion2 ? pluginsOfVersion2(settings, image) : pluginsOfVersion1(settings, image),
  };
}

function pluginsOfVersion1(settings: ContainerdSettings, image: ImageFacts): JsonObject {
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

/** containerd 2 has separate plugins for images and for the runtime. */
function pluginsOfVersion2(settings: ContainerdSettings, image: ImageFacts): JsonObject {
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
    // kubelet creates the control groups of pods, and its driver is systemd.
    { runtime_type: type, options: type === runc.runtime_type ? { ...runc.options, ...options } : options },
  ]);
  return Object.fromEntries([['runc', runc], ...added]);
}
