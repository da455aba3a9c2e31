// node/desired/aspects/huge-pages.ts: how many huge pages are reserved for pods? They are allocated early in the boot, before memory is
// fragmented. On a node in service the kernel may fail to allocate them, so a change needs a reboot.
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

const PATH = '/etc/tmpfiles.d/headstart-huge-pages.conf';
const KIB_PER_PAGE = { '2Mi': 2048, '1Gi': 1_048_576 } as const;

export const hugePagesAspect: AspectFunction = ({ os }) => {
  const lines = (['2Mi', '1Gi'] as const).flatMap((size) => {
    const count = os.hugePages[size];
    const file = `/sys/kernel/mm/hugepages/hugepages-${KIB_PER_PAGE[size]}kB/nr_hugepages`;
    return count === undefined ? [] : [`w ${file} - - - - ${count}\n`];
  });
  if (lines.length === 0) return {};
  const after = [{ do: 'apply-tmpfiles', path: PATH }] as const;
  return { files: [textFile(PATH, HEADER + lines.join(''), { aspect: 'huge-pages', class: 6, after })] };
};
