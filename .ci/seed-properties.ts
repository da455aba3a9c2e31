// .ci/seed-properties.ts: with HEADSTART_SEEDS the properties draw the same cases every time; set-up of Vitest for the campaign.
import fc from 'fast-check';
import { requestedSeeds } from '../src/base/seeds.testing.ts';

fc.configureGlobal({ seed: requestedSeeds('1')[0]! });
