// node/desired/allowed-paths.ts: which files may a document write by path? spec.files is for files that no other field covers. It must not
// replace files that headstart, the image or the clone check own, or grant privileges.

export const ALLOWED_FOLDERS = ['/etc/', '/opt/', '/srv/', '/usr/local/', '/var/lib/'] as const;

/** Folders for large data: a swap file, the state of kubelet. ReadWritePaths= of the daemon's unit covers them. */
export const DATA_FOLDERS = ['/mnt/', '/srv/', '/var/lib/'] as const;

/** Files, and folders with everything below them. */
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

/** Such as `/etc/sysctl.d/90-headstart.conf`: headstart writes fields of the document there. */
const RESERVED_FILE = /^\/etc\/(?:.+\/)?(?:\d\d-)?headstart(?:-[a-z-]+)?\.[a-z]+$/;

/** A unit, or the folder of its drop-ins and dependencies. */
const RESERVED_UNIT =
  /^headstart.*\.(?:service|socket|target|timer|path|mount|slice)(?:\.(?:d|wants|requires|upholds))?$/;

/** Why `path` may not be written; undefined if it may. */
export function pathProblem(path: string): string | undefined {
  if (!/^(?:\/[^/\u0000-\u001f\u007f]+)+$/.test(path)) return 'is not an absolute path';
  if (path.length > 1024) return 'is too long';
  if (path.split('/').some((part) => part === '.' || part === '..')) return "contains '.' or '..'";
  if (path.split('/').some((part) => Buffer.byteLength(part) > 200)) return 'has a component that is too long';
  if (!ALLOWED_FOLDERS.some((folder) => path.startsWith(folder))) return `is not below ${ALLOWED_FOLDERS.join(', ')}`;
  // In any folder: systemd, a generator or a linked folder may load it from there.
  if (path.split('/').some((part) => RESERVED_UNIT.test(part))) return 'belongs to a headstart unit';
  if (RESERVED_FILE.test(path)) return 'is a file that headstart writes';
  const forbidden = FORBIDDEN_PATHS.find((other) => path === other || path.startsWith(`${other}/`));
  return forbidden && `is at or below ${forbidden}, where spec.files may not write`;
}

/** Why large data may not be at `path`; undefined if it may. */
export function dataPathProblem(path: string): string | undefined {
  const isAllowed = DATA_FOLDERS.some((folder) => path.startsWith(folder)) && !path.split('/').includes('..');
  return isAllowed ? undefined : `is not below ${DATA_FOLDERS.join(', ')}`;
}
