// prototype/simulation/replay.testing.ts: `node src/prototype/simulation/replay.testing.ts SEED…` tells the story of a seed, as it was drawn
// and, if it breaks a rule, as small as it gets.

import { drawCase } from './draw-case.testing.ts';
import { play } from './play.testing.ts';
import { ruleOf, shrinkCase, tellStory } from './shrink.testing.ts';

for (const seed of process.argv.slice(2).map(Number)) {
  const drawn = drawCase(seed);
  const played = await play(drawn);
  console.log(`seed ${seed}, as drawn:\n${tellStory(played)}\n`);
  if (played.violations.length === 0) continue;
  const small = await shrinkCase(drawn, ruleOf(played.violations[0]!));
  console.log(`seed ${seed}, shrunk:\n${tellStory(await play(small))}\n`);
}
