// node/aspects/swap.ts: does the node swap, and may pods? The file is made and switched on at every start, before kubelet.
import { invalid, type ToPart } from './aspect.ts';

/** Where a large file of nobody's may be. */
const FOLDERS = ['/mnt/', '/srv/', '/var/lib/'];

export const swap: ToPart = ({ os }) => {
  if (os.swap === undefined) return {};
  const { file } = os.swap;
  const isAllowed = FOLDERS.some((folder) => file.startsWith(folder)) && !file.split('/').includes('..');
  if (!isAllowed) return { problems: [invalid(['os', 'swap', 'file'], `is not below ${FOLDERS.join(', ')}`)] };
  return {
    live: [{ kind: 'swap', key: os.swap.file, value: `${os.swap.sizeBytes}`, aspect: 'swap' }],
    kubeletConfig: { failSwapOn: false, memorySwap: { swapBehavior: os.swap.behavior } },
  };
};
