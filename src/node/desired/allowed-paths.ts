// node/desired/allowed-paths.ts: which files may a document write by path? The escape hatch is for what headstart has no field
// for; it is no way around what headstart, the image or the clone check own, and no way to hand out rights.

/** Below these, and nowhere else. */
export const ALLOWED_FOLDERS = ['/etc/', '/opt/', '/srv/', '/usr/local/', '/var/lib/'] as const;

/** Where the daemon may also make or remove what is large: a swap file, what kubelet keeps. Its unit lets it write here. */
export const DATA_FOLDERS = ['/mnt/', '/srv/', '/var/lib/'] as const;

/** A file, or a folder with everything below it. */
export const FORBIDDEN_PATHS = [
  '/etc/fstab',
  '/etc/group',
  '/etc/gshadow',
  '/etc/headstart',
  '/etc/hostname',
  '/etc/ld.so.cache',
  '/etc/ld.so.preload',
  '/etc/machine-id',
  '/etc/pam.d',
  '/etc/passwd',
  '/etc/shadow',
  '/etc/ssh',
  '/etc/subgid',
  '/etc/subuid',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/systemd/system', // spec.units
  '/etc/systemd/system.attached',
  '/etc/systemd/system.control',
  '/usr/local/lib/systemd',
  '/usr/local/share/ca-certificates', // spec.trustedCertificates
  '/var/lib/headstart',
  '/var/lib/kubelet/bootstrap-kubeconfig', // spec.cluster
  '/var/lib/kubelet/kubeconfig',
  '/var/lib/kubelet/pki',
  '/var/lib/systemd',
] as const;

/** `/etc/sysctl.d/90-headstart.conf` and the like: fields of the document are written there. */
const FILE_OF_OURS = /^\/etc\/(?:.+\/)?(?:\d\d-)?headstart(?:-[a-z-]+)?\.[a-z]+$/;

/** A unit, or the folder of what is added to it. */
const UNIT_OF_OURS =
  /^headstart.*\.(?:service|socket|target|timer|path|mount|slice)(?:\.(?:d|wants|requires|upholds))?$/;

/** Why `path` may not be written; undefined if it may. */
export function pathProblem(path: string): string | undefined {
  if (!/^(?:\/[^/\u0000-\u001f\u007f]+)+$/.test(path)) return 'is not an absolute path';
  if (path.length > 1024) return 'is too long';
  if (path.split('/').some((part) => part === '.' || part === '..')) return "has '.' or '..' in it";
  if (path.split('/').some((part) => Buffer.byteLength(part) > 200)) return 'has a name in it that is too long';
  if (!ALLOWED_FOLDERS.some((folder) => path.startsWith(folder))) return `is not below ${ALLOWED_FOLDERS.join(', ')}`;
  // Wherever systemd, a generator or a link to a folder may look for it.
  if (path.split('/').some((part) => UNIT_OF_OURS.test(part))) return "is for a unit of headstart's own";
  if (FILE_OF_OURS.test(path)) return "is a file of headstart's own";
  const forbidden = FORBIDDEN_PATHS.find((other) => path === other || path.startsWith(`${other}/`));
  return forbidden && `is at or below ${forbidden}, which a document may not write by path`;
}

/** Why something large may not be at `path`; undefined if it may. */
export function dataPathProblem(path: string): string | undefined {
  const isAllowed = DATA_FOLDERS.some((folder) => path.startsWith(folder)) && !path.split('/').includes('..');
  return isAllowed ? undefined : `is not below ${DATA_FOLDERS.join(', ')}`;
}
