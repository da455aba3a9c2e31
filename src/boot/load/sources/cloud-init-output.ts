// boot/load/sources/cloud-init-output.ts: reads cloud-init-output.log: the output of cloud-init's commands, with its banners. No other
// line has a time.
import { type Evidence, evidence } from '../../model/evidence.ts';
import { headText, type Input, linesOf } from '../input.ts';
import { type Banner, bannerFacts, parseBanner } from './cloud-init-banners.ts';
import type { EvidenceSource } from './source.ts';

export const cloudInitOutputSource = {
  kind: 'cloud-init-output',
  title: 'cloud-init-output.log',
  recognise: (input) => (/^Cloud-init v\. \S+ (?:running '|finished at )/m.test(headText(input)) ? 0.6 : 0),
  parse,
} satisfies EvidenceSource;

/** A boot has five. */
const MOST_KEPT = 1000;

function parse(input: Input): Evidence[] {
  const boots: { line: number; banners: Banner[] }[] = [];
  let number = 0;
  for (const line of linesOf(input)) {
    number++;
    const banner = line.startsWith('Cloud-init v. ') ? parseBanner(line) : undefined;
    if (!banner) continue;
    const current = boots.at(-1);
    if (current && !isOfNextBoot(banner, current.banners.at(-1)!)) {
      if (current.banners.length < MOST_KEPT) current.banners.push(banner);
    } else boots.push({ line: number, banners: [banner] });
  }
  return boots.map(({ line, banners }) =>
    evidence({
      kind: 'cloud-init-output',
      input: input.name,
      clock: 'monotonic',
      ...(boots.length > 1 && { name: `line ${line}` }),
      ...bannerFacts(banners, input.name),
    }),
  );
}

function isOfNextBoot(banner: Banner, last: Banner): boolean {
  return banner.upUs < last.upUs || (banner.stage === 'init-local' && last.stage !== 'init-local');
}
