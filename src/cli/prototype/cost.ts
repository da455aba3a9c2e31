// cli/prototype/cost.ts: `headstart prototype cost`: what the kept versions cost a month.
export { costVerb as verb } from './prune.ts';
