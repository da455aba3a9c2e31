// node/desired/aspects/swap.ts: does the node have swap, and may pods use it? The file is created and enabled at every start, before kubelet.
import { dataPathProblem } from '../allowed-paths.ts';
import { type AspectFunction, invalidField } from './aspect.ts';

export const swapAspect: AspectFunction = ({ os }) => {
  if (os.swap === undefined) return {};
  const problem = dataPathProblem(os.swap.file);
  if (problem !== undefined) return { problems: [invalidField(['os', 'swap', 'file'], problem)] };
  return {
    live: [{ kind: 'swap', key: os.swap.file, value: `${os.swap.sizeBytes}`, aspect: 'swap' }],
    kubeletConfig: { failSwapOn: false, memorySwap: { swapBehavior: os.swap.behavior } },
  };
};
