import { defineConfig } from 'vitest/config';
import { requireNode } from '../.ci/require-node.ts';

requireNode();

export default defineConfig({
  test: {
    include: ['e2e/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Each file drives a browser or a machine of its own; side by side they only get in each other's way.
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
