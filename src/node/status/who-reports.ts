// node/status/who-reports.ts: which program on this image reports the provisioning result to the platform? Two reports
// do no harm; without a report the platform marks the instance as failed.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Reporter = 'headstart' | 'cloud-init' | 'guest-agent';

/** The links that distributions create when Azure's guest agent is enabled. */
const AGENTS = ['walinuxagent', 'waagent', 'azure-init'].flatMap((name) =>
  ['etc/systemd/system', 'usr/lib/systemd/system'].map((folder) => `${folder}/multi-user.target.wants/${name}.service`),
);

export function whoReports(root: string): Reporter {
  const has = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  if (AGENTS.some(has)) return 'guest-agent';
  // The two documented ways to disable cloud-init.
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
