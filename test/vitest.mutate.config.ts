import { defineConfig } from 'vitest/config'

/** For `npm run mutate`: the unit tests alone, which say within seconds that something is wrong. */
export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: 'test/support/in-a-thread.ts',
    // Threads share the umask of their process.
    testNamePattern: /^(?!.*umask)/,
    include: [`${process.env['MUTATE_TESTS'] ?? 'test/{shared,main}'}/**/*.test.ts`],
    // The second takes six seconds, and most of storage is reached by it.
    exclude: ['test/**/*.long.test.ts', 'test/main/storage/outbox-twins.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
