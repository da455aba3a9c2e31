// node/units/units.ts: which files of headstart node does an image need, and where? The systemd units that start the executable in the right
// order.
import { ownText } from '../../base/own-files/own-files.ts';

export interface NodeUnitFile {
  /** From the root of the image. */
  path: string;
  mode: number;
  text: string;
}

const UNITS = 'usr/lib/systemd/system';
const PLACES: Readonly<Record<string, string>> = {
  'headstart-node.service': `${UNITS}/headstart-node.service`,
  'headstart-node-turn.service': `${UNITS}/headstart-node-turn.service`,
  'headstart-node-ready.target': `${UNITS}/headstart-node-ready.target`,
  'kubelet-drop-in.conf': `${UNITS}/kubelet.service.d/15-headstart-node.conf`,
};

export function unitFiles(): NodeUnitFile[] {
  return Object.entries(PLACES).map(([name, path]) => ({
    path,
    mode: 0o644,
    text: ownText(new URL(name, import.meta.url)),
  }));
}

/** The links that `systemctl enable` would create, for an image that does not run: link → target. */
export const ENABLED_LINKS: Readonly<Record<string, string>> = {
  'etc/systemd/system/multi-user.target.wants/headstart-node.service': '/usr/lib/systemd/system/headstart-node.service',
};
