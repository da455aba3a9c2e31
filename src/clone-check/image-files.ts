// clone-check/image-files.ts: which files of the clone check must an image contain? The same as after `seal` and `scrub`: the disk has no
// owner, and any machine that starts from it takes it over.
import { ownText } from '../base/own-files/own-files.ts';

export interface CloneCheckFile {
  /** Relative to the root of the image. */
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
    // Creating an RSA key takes many seconds without hardware virtualization.
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

/** The links that `systemctl enable` would create: link → target. */
export const CLONE_CHECK_LINKS: Readonly<Record<string, string>> = {
  [`${UNITS}/sysinit.target.wants/headstart-clone-check.service`]: '../headstart-clone-check.service',
};

function textOf(name: string): string {
  return ownText(new URL(name, import.meta.url));
}
