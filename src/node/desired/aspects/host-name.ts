// node/desired/aspects/host-name.ts: which host name does this machine have, and with it the Node?
import { type AspectFunction, invalidField, textFile } from './aspect.ts';

/** The name from the document, else the one that the platform gave the instance, else the one of the image. */
export const hostNameAspect: AspectFunction = (config, facts) => {
  const name = config.hostName ?? facts.instance.computerName?.toLowerCase();
  if (name === undefined) return {};
  if (!/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(name)) {
    return {
      problems: [
        invalidField(
          ['hostName'],
          'is required: the name that the platform gave this instance is not a valid host name',
        ),
      ],
    };
  }
  return {
    files: [textFile('/etc/hostname', `${name}\n`, { aspect: 'host-name', class: 0, after: [] })],
    live: [{ kind: 'host-name', key: '', value: name, aspect: 'host-name' }],
    // kubelet registers under this name, so another name is another Node.
    kubeletFlags: { 'hostname-override': name },
  };
};
