// prototype/donor/inspect/inspect-script.ts: the script that runs on a donor, over any channel, to find what a clone would inherit.
import { ownText } from '../../../base/own-files/own-files.ts';

export interface InspectOptions {
  /** The node's name in Kubernetes. */
  nodeName: string;
  /** The output then contains the pool's bootstrap secrets: pass it only to parseInspection. */
  wantsCustomData?: boolean;
  /** Where the machine's root file system is mounted; absent for the machine the script runs on. */
  root?: string;
}

/** For `sh -s` or `sh -c`, as root. Reads only. */
export function inspectScript({ nodeName, wantsCustomData, root }: InspectOptions): string {
  const settings = { root: root ?? '', node_name: nodeName, custom_data: wantsCustomData ? 'yes' : '' };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${quoted(value)}\n`);
  return lines.join('') + ownText(new URL('./inspect-donor.sh', import.meta.url));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
