// node/status/who-reports.ts: who on this image tells the platform that the instance came up? Two voices do no harm; none gets the instance deleted.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Reporter = 'headstart' | 'cloud-init' | 'guest-agent';

/** Where distributions put the unit of Azure's agent once it is enabled. */
const AGENTS = ['walinuxagent', 'waagent', 'azure-init'].flatMap((name) =>
  ['etc/systemd/system', 'usr/lib/systemd/system'].map((folder) => `${folder}/multi-user.target.wants/${name}.service`),
);

export function whoReports(root: string): Reporter {
  const has = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  if (AGENTS.some(has)) return 'guest-agent';
  // Its own ways of being switched off.
  const isOff =
    has('etc/cloud/cloud-init.disabled') ||
    /(?:^|\s)cloud-init=disabled(?:\s|$)/.test(textOf(join(root, 'proc/cmdline')));
  return has('usr/bin/cloud-init') && !isOff ? 'cloud-init' : 'headstart';
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
