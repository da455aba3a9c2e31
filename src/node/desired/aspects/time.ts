// node/desired/aspects/time.ts: which time servers set the clock, in addition to the platform? Covers systemd-timesyncd and chrony, because an
// image has either.
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

export const timeAspect: AspectFunction = ({ os }) => {
  if (os.timeServers.length === 0) return {};
  const sources = os.timeServers.map((server) => `server ${server} iburst\n`).join('');
  return {
    files: [
      textFile(
        '/etc/systemd/timesyncd.conf.d/20-headstart.conf',
        `${HEADER}[Time]\nNTP=${os.timeServers.join(' ')}\n`,
        {
          aspect: 'time',
          class: 1,
          after: [{ do: 'restart', unit: 'systemd-timesyncd.service' }],
        },
      ),
      textFile('/etc/chrony/sources.d/headstart.sources', HEADER + sources, {
        aspect: 'time',
        class: 1,
        after: [{ do: 'restart', unit: 'chrony.service' }],
      }),
    ],
  };
};
