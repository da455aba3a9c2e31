// node/units/units.ts: what of headstart node has to be on an image, and where? The executable and the files that start it in the right order.
import { readFileSync } from 'node:fs';

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
    text: readFileSync(new URL(name, import.meta.url), 'utf8'),
  }));
}

/** What `systemctl enable` would make, for an image that does not run: link → what it leads to. */
export const ENABLED_LINKS: Readonly<Record<string, string>> = {
  'etc/systemd/system/multi-user.target.wants/headstart-node.service': '/usr/lib/systemd/system/headstart-node.service',
};
