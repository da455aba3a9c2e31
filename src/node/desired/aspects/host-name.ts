// node/desired/aspects/host-name.ts: what is this machine called, and with it the Node?
import { type AspectFunction, invalidField, textFile } from './aspect.ts';

/** Without a name in the document it is the one the platform gave the instance; without that, what the image has. */
export const hostNameAspect: AspectFunction = (config, facts) => {
  const name = config.hostName ?? facts.instance.computerName?.toLowerCase();
  if (name === undefined) return {};
  if (!/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(name)) {
    return {
      problems: [invalidField(['hostName'], 'is missing, and what the platform calls this instance is no host name')],
    };
  }
  return {
    files: [textFile('/etc/hostname', `${name}\n`, { aspect: 'host-name', class: 0, after: [] })],
    live: [{ kind: 'host-name', key: '', value: name, aspect: 'host-name' }],
    // What makes another name another node.
    kubeletFlags: { 'hostname-override': name },
  };
};
