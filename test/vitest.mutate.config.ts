import { defineConfig } from 'vitest/config'

const leftOut = [
  // Threads share the umask and the time zone of their process.
  ...['umask', 'by the clock in', 'another zone'],
  // These take seconds, and reach most of the attention engine.
  ...['ever more rarely', '300 generated days'],
  // These count their generated cases, most of which are left out here (in-a-thread.ts).
  ...['A notice says what is so now', 'Setting the clock back'],
]

/** For `npm run mutate`: the unit tests alone, which say within seconds that something is wrong. */
export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: ['test/support/same-cases.ts', 'test/support/in-a-thread.ts'],
    testNamePattern: new RegExp(`^(?!.*(?:${leftOut.join('|')}))`),
    include: [`${process.env['MUTATE_TESTS'] ?? 'test/{shared,main}'}/**/*.test.ts`],
    // The second takes six seconds, and most of storage is reached by it.
    exclude: ['test/**/*.long.test.ts', 'test/main/storage/outbox-twins.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
