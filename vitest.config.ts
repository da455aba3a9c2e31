import { defineConfig } from 'vitest/config';
import { requireNode } from './.ci/require-node.ts';

requireNode();

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'sims/**/*.test.ts', 'demo/**/*.test.ts', '.ci/**/*.test.ts'],
    // A slow machine must not turn into a red test: speed is a figure of `make bench`, never an assertion here.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Vitest leaves one core to itself, which is half of a machine that has two.
    maxWorkers: '100%',
    reporters: ['dot'],
    ...(process.env.HEADSTART_SEEDS && { setupFiles: ['.ci/seed-properties.ts'] }),
  },
});
