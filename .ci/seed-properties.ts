// .ci/seed-properties.ts: with HEADSTART_SEEDS the properties draw the same cases every time; set-up of Vitest for the campaign.
import fc from 'fast-check';
import { seedsAsked } from '../src/base/seeds.testing.ts';

fc.configureGlobal({ seed: seedsAsked('1')[0]! });
