// clone-check/image-files.ts: what of the clone check has to be on an image? As `seal` and a scrub leave it: a disk that is nobody's,
// taken over by whoever starts from it.
import { readFileSync } from 'node:fs';

export interface CloneCheckFile {
  /** From the root of the image. */
  path: string;
  mode: number;
  text: string;
}

const HOME = 'var/lib/headstart/clone-check';
const UNITS = 'etc/systemd/system';

export function cloneCheckFiles(): CloneCheckFile[] {
  return [
    { path: `${HOME}/headstart-clone-check`, mode: 0o755, text: textOf('headstart-clone-check') },
    { path: `${HOME}/owner`, mode: 0o600, text: 'vm-id=none\ncontainers=none\n' },
    // Without hardware help an RSA key takes many seconds.
    { path: `${HOME}/ssh-key-types`, mode: 0o644, text: 'ed25519\n' },
    ...['headstart-clone-check.service', 'headstart-clone-finish.service'].map((name) => ({
      path: `${UNITS}/${name}`,
      mode: 0o644,
      text: textOf(name),
    })),
    {
      path: `${UNITS}/kubelet.service.d/10-headstart-clone-check.conf`,
      mode: 0o644,
      text: textOf('kubelet-drop-in.conf'),
    },
  ];
}

/** What `systemctl enable` would make: link → what it leads to. */
export const CLONE_CHECK_LINKS: Readonly<Record<string, string>> = {
  [`${UNITS}/sysinit.target.wants/headstart-clone-check.service`]: '../headstart-clone-check.service',
};

function textOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
