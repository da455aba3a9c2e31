// node/desired/aspects/modules.ts: which kernel modules are loaded, with which parameters? A module that leaves the document stays loaded
// until the next boot, because it may be in use.
import type { OwnedFile } from '../tree.ts';
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

export const modulesAspect: AspectFunction = ({ os }) => {
  const entries = Object.entries(os.modules).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return {};
  const names = entries.map(([name]) => `${name}\n`).join('');
  const options = entries.flatMap(([name, { parameters }]) => {
    const words = Object.entries(parameters).map(([key, value]) => ` ${key}=${value}`);
    return words.length > 0 ? [`options ${name}${words.sort().join('')}\n`] : [];
  });
  const files: OwnedFile[] = [
    textFile('/etc/modules-load.d/90-headstart.conf', HEADER + names, { aspect: 'modules', class: 0, after: [] }),
  ];
  if (options.length > 0) {
    files.push(
      // The kernel reads parameters when it loads a module, and a module in use cannot be reloaded.
      textFile('/etc/modprobe.d/90-headstart.conf', HEADER + options.join(''), {
        aspect: 'modules',
        class: 6,
        after: [],
      }),
    );
  }
  return { files, live: entries.map(([key]) => ({ kind: 'module', key, value: 'loaded', aspect: 'modules' })) };
};
